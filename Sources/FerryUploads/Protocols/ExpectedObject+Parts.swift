import FerryCore

extension ExpectedObject {
    /// What a store will say of the object that it makes of these parts; `nil` if nothing follows from them.
    init?(_ parts: [SentPart], _ dialect: S3Dialect) {
        let parts = parts.sorted { $0.number < $1.number }
        guard let first = parts.first else { return nil }
        let isHash = first.checksum?.algorithm.redundancyCheck == nil
        self.init(
            tag: dialect.combinesTags ? MultipartTag.of(parts.map(\.tag)) : nil,
            checksum: isHash && parts.count > 1 ? nil : Self.combined(parts)
        )
    }

    /// The checksum of all parts together; `nil` if one of them has none, or another one.
    private static func combined(_ parts: [SentPart]) -> Checksum? {
        guard var sum = parts.first?.checksum else { return nil }
        for part in parts.dropFirst() {
            guard let checksum = part.checksum, let longer = sum.appending(checksum, length: part.length)
            else { return nil }
            sum = longer
        }
        return sum
    }
}
