/// A number as fields carry it: decimal digits and nothing else (`1*DIGIT`, RFC 5234).
enum DecimalNumber: Hashable, Sendable {
    /// The number fits.
    case value(Int64)
    /// There are only digits, but they say more than an `Int64` holds.
    case tooLarge

    /// Reads digits; `nil` when there are none or anything else is among them, such as a sign.
    init?(_ digits: some Collection<UInt8>) {
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
    var fitting: Int64? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The number, or the largest that there is.
    var saturated: Int64 { fitting ?? .max }
}
