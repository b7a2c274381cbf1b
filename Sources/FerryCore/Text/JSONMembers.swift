/// The members of a JSON object, by name. Of several members with one name, only the first counts.
package struct JSONMembers {
    private let values: [String: ArraySlice<UInt8>]

    /// Reads an object; `nil` if the bytes are not one JSON object in UTF-8.
    package init?(of bytes: ArraySlice<UInt8>) {
        guard let members = JSONText.members(of: bytes) else { return nil }
        values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// A value as it is written; `nil` if no member has the name.
    package subscript(name: String) -> ArraySlice<UInt8>? { values[name] }

    /// The characters of a string.
    package func text(_ name: String) -> String? { self[name].flatMap { JSONText.string($0) } }

    /// A whole number.
    package func number(_ name: String) -> Int64? { self[name].flatMap { Int64($0.text) } }

    /// The elements of an array, as they are written.
    package func elements(_ name: String) -> [ArraySlice<UInt8>]? {
        self[name].flatMap { JSONText.elements(of: $0) }
    }
}
