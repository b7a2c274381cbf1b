/// A cyclic redundancy check: the remainder of a message, read as a polynomial over GF(2), by a generator.
///
/// All checks here are reflected (the first bit of a byte is its lowest), begin with all bits set, and invert all
/// bits at the end.
package struct CyclicRedundancyCheck: Hashable, Sendable {
    /// The number of bits, up to 64.
    package let width: Int
    /// The generator without its highest term; the coefficient of `x^0` is in the highest of the `width` bits.
    package let polynomial: UInt64

    /// The check of Castagnoli, used by iSCSI (RFC 3720 §12.1), SCTP and object stores.
    package static let crc32c = CyclicRedundancyCheck(width: 32, polynomial: 0x82F6_3B78)
    /// The check of zip, gzip and Ethernet.
    package static let crc32 = CyclicRedundancyCheck(width: 32, polynomial: 0xEDB8_8320)
    /// The check of NVM Express.
    package static let crc64nvme = CyclicRedundancyCheck(width: 64, polynomial: 0x9A6C_9329_AC4B_C9B5)
    /// The check of ECMA-182, as `xz` uses it.
    package static let crc64ecma = CyclicRedundancyCheck(width: 64, polynomial: 0xC96C_5795_D787_0F42)

    /// The `width` lowest bits.
    package var mask: UInt64 { .max >> UInt64(64 - width) }

    /// Returns the check of two adjacent pieces from the checks of each.
    ///
    /// Pieces that were received out of order need no second reading. It takes some hundred steps for each doubling
    /// of the length, and reads no bytes.
    ///
    /// - Parameters:
    ///   - first: the check of the first piece.
    ///   - second: the check of the second piece.
    ///   - length: the length of the second piece in bytes; not negative.
    package func combined(_ first: UInt64, _ second: UInt64, length: Int64) -> UInt64 {
        precondition(length >= 0, "a piece has no negative length")
        // The first message moves up by the length of the second. The initial and final bits of both cancel out.
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
