import RawStructuredFieldValues

/// An item of structured fields (RFC 9651 §3.3), without its parameters.
package enum StructuredItem: Hashable, Sendable {
    /// An integer.
    case integer(Int64)
    /// A truth value.
    case boolean(Bool)
    /// An item of another type.
    case other

    /// Reads a field value that occurs once.
    ///
    /// - Returns: `nil` when it is not an item, or too long.
    package init?(_ fieldValue: String) {
        guard fieldValue.utf8.count <= StructuredDictionary.longest else { return nil }
        var parser = StructuredFieldValueParser(Array(fieldValue.utf8))
        do {
            switch try parser.parseItemFieldValue().rfc9651BareItem {
            case .integer(let number): self = .integer(number)
            case .bool(let value): self = .boolean(value)
            default: self = .other
            }
        } catch {
            return nil
        }
    }
}
