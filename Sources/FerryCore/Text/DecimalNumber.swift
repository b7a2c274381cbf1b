/// A number as in header fields: only decimal digits (`1*DIGIT`, RFC 5234).
package enum DecimalNumber: Hashable, Sendable {
    /// The number fits.
    case value(Int64)
    /// All are digits, but the number does not fit an `Int64`.
    case tooLarge

    /// Parses digits; `nil` when there are none, or any other character, such as a sign.
    package init?(_ digits: some Collection<UInt8>) {
        guard !digits.isEmpty else { return nil }
        var total: Int64 = 0
        var overflowed = false
        for digit in digits {
            guard digit.isDigit else { return nil }
            if overflowed { continue }
            let (product, productOverflow) = total.multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(Int64(digit - 0x30))
            overflowed = productOverflow || sumOverflow
            total = sum
        }
        self = overflowed ? .tooLarge : .value(total)
    }

    /// The number, or `nil` when it is too large.
    package var fitting: Int64? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The number, or the largest `Int64`.
    var saturated: Int64 { fitting ?? .max }
}
