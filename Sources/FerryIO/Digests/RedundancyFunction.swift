internal import FerryCore

/// A cyclic redundancy check of bytes that arrive piece by piece.
struct RedundancyFunction: DigestFunction {
    private let check: CyclicRedundancyCheck
    private let tables: RedundancyTables
    private var state: UInt64

    init(_ check: CyclicRedundancyCheck, _ tables: RedundancyTables) {
        self.check = check
        self.tables = tables
        state = check.mask
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        state = tables.update(state, with: bytes)
    }

    /// Most significant byte first, as every object store sends it.
    var digest: [UInt8] {
        let value = ~state & check.mask
        return stride(from: check.width - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: value >> UInt64($0))
        }
    }
}
