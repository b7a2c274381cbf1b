/// A unique name of a transfer across all stores: a UUID of version 7 (RFC 9562 §5.7), unless the application chose
/// one of another version.
///
/// A transfer that is added twice with one UUID is stored once. An application that chooses the UUID can therefore
/// repeat an `add` whose result it does not know.
public struct TransferUUID: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes.
    static let length = 16

    /// The bytes, most significant first.
    public let bytes: [UInt8]

    /// The Nil UUID (RFC 9562 §5.9), for a transfer that was not added to a store yet.
    package static let none = TransferUUID(high: 0, low: 0)

    /// Creates a UUID from 48 bits of time and 74 bits of a generator.
    package init(at now: Instant, using generator: inout some RandomNumberGenerator) {
        let time = UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF
        let high = time << 16 | 0x7000 | generator.next() & 0x0FFF
        let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        self.init(high: high, low: low)
    }

    /// Creates a UUID from 48 bits of time, 40 bits of a transfer's number in its store, and 34 bits that differ in
    /// another store.
    init(at now: Instant, number: TransferID, salt: UInt64) {
        let time = UInt64(clamping: now.milliseconds) & 0xFFFF_FFFF_FFFF
        let high = time << 16 | 0x7000 | salt >> 22 & 0x0FFF
        let counter = UInt64(bitPattern: number.rawValue) & 0xFF_FFFF_FFFF
        self.init(high: high, low: 0x8000_0000_0000_0000 | counter << 22 | salt & 0x3F_FFFF)
    }

    /// The number of the transfer, if its store made this UUID (``TransferUUIDSequence``). Any other UUID has an
    /// arbitrary number there.
    package var number: TransferID {
        let low = bytes[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return TransferID(rawValue: Int64(low >> 22 & 0xFF_FFFF_FFFF))
    }

    private init(high: UInt64, low: UInt64) {
        bytes = [high, low].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    /// Creates a UUID from 16 bytes; `nil` for any other number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Parses the form `0198d2c4-7b1e-7c3a-9f00-5e6d7c8b9a01`, in either case; `nil` for any other text.
    public init?(_ text: String) {
        let characters = Array(text.utf8)
        guard characters.count == 36, Self.hyphens.allSatisfy({ characters[$0] == 0x2D }) else { return nil }
        let digits = characters.enumerated().filter { !Self.hyphens.contains($0.offset) }.map(\.element)
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index].hexadecimalValue, let low = digits[index + 1].hexadecimalValue
            else { return nil }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    private static let hyphens = [8, 13, 18, 23]

    /// The form of RFC 9562 §4, in lowercase.
    public var description: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for byte in bytes {
            if Self.hyphens.contains(text.count) { text.append(0x2D) }
            text.append(Self.digits[Int(byte >> 4)])
            text.append(Self.digits[Int(byte & 15)])
        }
        return text.text
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
