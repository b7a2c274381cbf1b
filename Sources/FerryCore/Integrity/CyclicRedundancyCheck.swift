/// A cyclic redundancy check: the remainder of a message, read as a polynomial over GF(2), by a generator.
///
/// All that Ferry knows are reflected (the first bit of a byte is its lowest), begin with all bits set, and have all
/// bits inverted at their end.
public struct CyclicRedundancyCheck: Hashable, Sendable {
    /// How many bits it has, up to 64.
    public let width: Int
    /// The generator without its highest term, the coefficient of `x^0` in the highest of the `width` bits.
    public let polynomial: UInt64

    /// Castagnoli's, of iSCSI (RFC 3720 §12.1), SCTP and the object stores.
    public static let crc32c = CyclicRedundancyCheck(width: 32, polynomial: 0x82F6_3B78)
    /// That of zip, gzip and Ethernet.
    public static let crc32 = CyclicRedundancyCheck(width: 32, polynomial: 0xEDB8_8320)
    /// That of NVM Express.
    public static let crc64nvme = CyclicRedundancyCheck(width: 64, polynomial: 0x9A6C_9329_AC4B_C9B5)
    /// That of ECMA-182, as `xz` uses it.
    public static let crc64ecma = CyclicRedundancyCheck(width: 64, polynomial: 0xC96C_5795_D787_0F42)

    /// The `width` lowest bits.
    public var mask: UInt64 { .max >> UInt64(64 - width) }

    /// The check of two pieces, one behind the other, from the checks of each.
    ///
    /// Pieces that were received out of order need no second reading. It takes some hundred steps for each doubling
    /// of the length, and never looks at a byte.
    ///
    /// - Parameters:
    ///   - first: the check of the piece in front.
    ///   - second: the check of the piece behind it.
    ///   - length: the length of the piece behind, in bytes; not negative.
    public func combined(_ first: UInt64, _ second: UInt64, length: Int64) -> UInt64 {
        precondition(length >= 0, "a piece has no negative length")
        // A message moves up by its successor's length. The bits that both begin and end with cancel out.
        return product(first & mask, shift(byBytes: UInt64(length))) ^ (second & mask)
    }

    /// `x^(8 · count)` modulo the generator, by squaring.
    private func shift(byBytes count: UInt64) -> UInt64 {
        var result: UInt64 = 1 << UInt64(width - 1)
        var power: UInt64 = 1 << UInt64(width - 9)
        var rest = count
        while rest != 0 {
            if rest & 1 == 1 { result = product(result, power) }
            power = product(power, power)
            rest >>= 1
        }
        return result
    }

    /// The product of two polynomials modulo the generator, each with the coefficient of `x^0` in its highest bit.
    private func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
        var result: UInt64 = 0
        var shifted = other
        for place in (0..<UInt64(width)).reversed() {
            if one >> place & 1 == 1 { result ^= shifted }
            shifted = shifted >> 1 ^ (shifted & 1 == 1 ? polynomial : 0)
        }
        return result
    }
}
