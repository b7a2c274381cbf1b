import FerryCore

/// The members of a stored request that nearly every request has for itself: its checksum and its key.
///
/// They come first in its text. The rest is then the same for all requests of a list, and is encoded and decoded once. The whole
/// text is the JSON of the request, in which the order of the members means nothing.
struct OwnMembers {
    private var checksum: UInt8?
    private var key: IdempotencyKey?

    /// Takes those of a request.
    init(_ request: RequestSpecification) {
        (checksum, key) = (request.addedChecksum, request.key)
    }

    /// Takes those at the beginning of a stored text, written as ``text(before:)`` writes them. All others stay in it.
    init(takenFrom text: inout String) {
        var rest = Substring(text).utf8
        guard rest.take("{") else { return }
        (checksum, key) = (rest.takeChecksum(), rest.takeKey())
        guard checksum != nil || key != nil else { return }
        text = "{"
        text.append(contentsOf: Substring(rest))
    }

    /// The text of a request that has these members and those of another text.
    func text(before rest: String) -> String {
        let json = PlainJSON { json in
            json.member("checksum", checksum)
            if let key {
                json.member("key") { json in
                    json.member("field", key.field)
                    json.member("value", key.value)
                }
            }
            json.members(of: rest)
        }
        return json.text
    }

    /// Gives them to the request that was read from the rest of its text.
    func complete(_ request: inout RequestSpecification) throws(RequestSpecification.Flaw) {
        if let checksum { request.addedChecksum = checksum }
        if let key { try request.take(stored: key) }
    }
}

extension Substring.UTF8View {
    /// Removes a text from the front.
    ///
    /// - Returns: whether it was there.
    fileprivate mutating func take(_ text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        removeFirst(text.utf8.count)
        return true
    }

    /// Removes the member with the checksum; `nil` if there is none, or if it is not written as an encoder would.
    fileprivate mutating func takeChecksum() -> UInt8? {
        var rest = self
        guard rest.take(#""checksum":"#) else { return nil }
        let digits = Substring(rest.prefix { $0 != UInt8(ascii: ",") })
        guard let number = UInt8(digits), rest.take("\(number),") else { return nil }
        self = rest
        return number
    }

    /// Removes the member with the key; `nil` if there is none, or if it is not written as an encoder would.
    fileprivate mutating func takeKey() -> IdempotencyKey? {
        var rest = self
        guard rest.take(#""key":{"field":""#), let field = rest.takeString(),
            rest.take(#","value":""#), let value = rest.takeString(), rest.take("},")
        else { return nil }
        self = rest
        return IdempotencyKey(field: field, value: value)
    }

    /// Removes the rest of a string, with the quotation mark at its end; `nil` if something in it is rare, such as an escaped
    /// line feed.
    private mutating func takeString() -> String? {
        var octets: [UInt8] = []
        while let octet = popFirst() {
            switch octet {
            case UInt8(ascii: "\""): return String(decoding: octets, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                octets.append(escaped)
            case ..<0x20: return nil
            default: octets.append(octet)
            }
        }
        return nil
    }
}
