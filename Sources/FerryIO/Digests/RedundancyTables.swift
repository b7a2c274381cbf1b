internal import CFerryPlatform
internal import FerryCore

/// What the C code needs for a cyclic redundancy check: made once, and then only read.
struct RedundancyTables: Sendable {
    static let crc32c = RedundancyTables(.crc32c)
    static let crc32 = RedundancyTables(.crc32)
    static let crc64nvme = RedundancyTables(.crc64nvme)
    static let crc64ecma = RedundancyTables(.crc64ecma)

    // The bits of an OpaquePointer, which is not Sendable, to memory that nobody writes to or frees any more.
    private let address: UInt

    init(_ check: CyclicRedundancyCheck) {
        guard let tables = ferry_crc_create(UInt32(check.width), check.polynomial) else {
            preconditionFailure("there are not 32 KiB of memory for the tables of a check")
        }
        address = UInt(bitPattern: tables)
    }

    private var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// The state after more bytes, in the fastest way that this processor has.
    func update(_ state: UInt64, with bytes: UnsafeRawBufferPointer) -> UInt64 {
        ferry_crc_update(pointer, state, bytes.baseAddress, bytes.count)
    }

    /// The same in the way that every processor has.
    func updateByTables(_ state: UInt64, with bytes: UnsafeRawBufferPointer) -> UInt64 {
        ferry_crc_update_by_tables(pointer, state, bytes.baseAddress, bytes.count)
    }
}
