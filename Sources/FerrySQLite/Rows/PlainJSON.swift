import FerryCore

/// A writer of the JSON object of one small value, for the few that are written for every transfer.
///
/// It writes what ``StoredTexts/encodeJSON(_:)`` would: no spaces, and keys in the order of their octets, in which the caller
/// must give them. It is many times faster, because it looks up no types. The tool's records are built as values, which would
/// allocate for each member.
struct PlainJSON {
    private var octets: [UInt8] = []
    /// Whether nothing in the innermost object has been written.
    private var isFirst = true

    /// Writes an object.
    init(_ writeMembers: (inout PlainJSON) -> Void) {
        octets.reserveCapacity(512)
        object(writeMembers)
    }

    /// The text.
    var text: String { String(decoding: octets, as: UTF8.self) }

    /// Writes a member that is an object.
    mutating func member(_ key: StaticString, _ writeMembers: (inout PlainJSON) -> Void) {
        begin(key)
        object(writeMembers)
    }

    /// Writes a member that is a number; nothing for `nil`.
    mutating func member(_ key: StaticString, _ number: (some FixedWidthInteger)?) {
        guard let number else { return }
        begin(key)
        octets.append(contentsOf: String(number).utf8)
    }

    /// Writes a member that is a string; nothing for `nil`.
    mutating func member(_ key: StaticString, _ string: String?) {
        guard let string else { return }
        begin(key)
        JSONText.write(string, to: &octets)
    }

    /// Writes a member that is true or false.
    mutating func member(_ key: StaticString, _ isTrue: Bool) {
        begin(key)
        octets.append(contentsOf: (isTrue ? "true" : "false").utf8)
    }

    /// Writes a member that is a moment; nothing for `nil`.
    mutating func member(_ key: StaticString, _ moment: Instant?) {
        guard let moment else { return }
        member(key) { $0.member("milliseconds", moment.milliseconds) }
    }

    /// Writes a member that is an array of objects.
    mutating func member<Element>(
        _ key: StaticString,
        _ elements: [Element],
        _ writeMembers: (inout PlainJSON, Element) -> Void
    ) {
        begin(key)
        octets.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { octets.append(UInt8(ascii: ",")) }
            object { writeMembers(&$0, element) }
        }
        octets.append(UInt8(ascii: "]"))
    }

    /// Writes the members of an object that is JSON already, as they are. It must have at least one.
    mutating func members(of object: String) {
        if !isFirst { octets.append(UInt8(ascii: ",")) }
        isFirst = false
        var object = object
        object.withUTF8 {
            octets.append(contentsOf: UnsafeBufferPointer(rebasing: $0.dropFirst().dropLast()))
        }
    }

    private mutating func object(_ writeMembers: (inout PlainJSON) -> Void) {
        octets.append(UInt8(ascii: "{"))
        isFirst = true
        writeMembers(&self)
        octets.append(UInt8(ascii: "}"))
        isFirst = false
    }

    private mutating func begin(_ key: StaticString) {
        if !isFirst { octets.append(UInt8(ascii: ",")) }
        isFirst = false
        octets.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { octets.append(contentsOf: $0) }
        octets.append(UInt8(ascii: "\""))
        octets.append(UInt8(ascii: ":"))
    }
}
