/// What a `Content-Range` field says (RFC 9110 §14.4), in bytes.
package enum ContentRange: Hashable, Sendable {
    /// The body holds this half-open range of a representation whose length is `total`, if the server knows it.
    case bytes(Range<Int64>, total: Int64?)
    /// The requested range is outside a representation of `total` bytes; sent with 416.
    case unsatisfied(total: Int64)

    /// Reads a field value strictly: a wrong range would put bytes in the wrong place.
    ///
    /// The unit's name is matched without regard to case (RFC 9110 §14.1), and blanks around the whole value are
    /// ignored (§5.5). There must be exactly one space after the unit and none elsewhere.
    ///
    /// - Returns: `nil` for another unit, a sign, a number past `Int64`, a range that ends before it starts or
    ///   beyond the total, `*/*`, or anything left over.
    package init?(_ fieldValue: String) {
        let value = Array(fieldValue.utf8).trimmingBlanks
        guard value.prefix(6).equalsIgnoringASCIICase("bytes ".utf8) else { return nil }
        let parts = value.dropFirst(6).split(separator: 0x2F, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let total: Int64?
        if parts[1].elementsEqual([0x2A]) {
            total = nil
        } else {
            guard let number = DecimalNumber(parts[1])?.fitting else { return nil }
            total = number
        }
        if parts[0].elementsEqual([0x2A]) {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
            return
        }
        let positions = parts[0].split(separator: 0x2D, omittingEmptySubsequences: false)
        // The last position is inclusive: Int64.max has no half-open end.
        guard positions.count == 2, let first = DecimalNumber(positions[0])?.fitting,
            let last = DecimalNumber(positions[1])?.fitting, first <= last, last < Int64.max
        else { return nil }
        if let total, last >= total { return nil }
        self = .bytes(first..<last + 1, total: total)
    }
}

extension ContentRange: CustomStringConvertible {
    /// The field value.
    package var description: String {
        switch self {
        case .bytes(let range, let total):
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total.map { String($0) } ?? "*")"
        case .unsatisfied(let total):
            "bytes */\(total)"
        }
    }
}
