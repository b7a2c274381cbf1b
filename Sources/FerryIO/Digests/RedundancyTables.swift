internal import CFerryPlatform
internal import FerryCore

/// The tables that the C code needs for a cyclic redundancy check: created once, then only read.
struct RedundancyTables: Sendable {
    static let crc32c = RedundancyTables(.crc32c)
    static let crc32 = RedundancyTables(.crc32)
    static let crc64nvme = RedundancyTables(.crc64nvme)
    static let crc64ecma = RedundancyTables(.crc64ecma)

    // The bits of an OpaquePointer, which is not Sendable. Its memory is never written or freed again.
    private let address: UInt

    init(_ check: CyclicRedundancyCheck) {
        guard let tables = ferry_crc_create(UInt32(check.width), check.polynomial) else {
            preconditionFailure("there are not 32 KiB of memory for the tables of a check")
        }
        address = UInt(bitPattern: tables)
    }

    private var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// The state after more bytes, by the fastest method of this processor.
    func update(_ state: UInt64, with bytes: UnsafeRawBufferPointer) -> UInt64 {
        ferry_crc_update(pointer, state, bytes.baseAddress, bytes.count)
    }

    /// The same by tables, on every processor.
    func updateByTables(_ state: UInt64, with bytes: UnsafeRawBufferPointer) -> UInt64 {
        ferry_crc_update_by_tables(pointer, state, bytes.baseAddress, bytes.count)
    }
}
