import FerryCore

extension InputProperty {
    /// A size is its number in units of 1024, and is shown as nearly the same.
    package static let byteCount = InputProperty("byte-count") { input in
        let count: ByteCount
        do {
            count = try ByteCount(parsing: input.text)
        } catch {
            return
        }
        try require(count.bytes >= 0, "a size is never negative")
        try require(try ByteCount(parsing: String(count.bytes)) == count, "a number is read as itself")
        let about = approximation(input.text)
        let difference = (about - Double(count.bytes)).magnitude
        try require(difference <= 1 + about * 1e-12, "a size is its number times its unit")
        // A value that rounds up to 2^63 does not fit in a size.
        guard count.bytes < Int64.max - (1 << 50) else { return }
        let shown = try ByteCount(parsing: count.formatted)
        let error = (Double(shown.bytes) - Double(count.bytes)).magnitude
        try require(error <= 0.05 * Double(count.bytes), "what is shown is nearly the same")
    }

    private static func approximation(_ text: String) -> Double {
        let bytes = Array(text.utf8)
        var number = 0.0
        var scale = 1.0
        var isFraction = false
        var unit = 1.0
        for byte in bytes {
            switch byte {
            case 0x30...0x39:
                number = number * 10 + Double(byte - 0x30)
                // Further digits make no difference to a size, and would overflow the scale.
                if isFraction { scale *= 10 }
                if scale > 1e200 { return number / scale * unitValue(bytes) }
            case 0x2E: isFraction = true
            default: unit = max(unit, unitValue([byte]))
            }
        }
        return number / scale * unit
    }

    private static func unitValue(_ bytes: [UInt8]) -> Double {
        for (letter, power) in zip("kmgtp".utf8, 1...5) where bytes.contains(where: { $0 | 0x20 == letter }) {
            return (0..<power).reduce(1) { value, _ in value * 1024 }
        }
        return 1
    }

    /// A checksum is an algorithm and a digest of its length; it is written and read back the same.
    package static let checksum = InputProperty("checksum") { input in
        let checksum: Checksum
        do throws(Checksum.ParseError) {
            checksum = try Checksum(parsing: input.text)
        } catch {
            try require(!error.description.utf8.contains { $0 < 0x20 }, "a message is one line")
            return
        }
        try requireWhole(checksum)
        for name in [checksum.algorithm.rawValue, checksum.algorithm.shortName] {
            let again = try Checksum(parsing: "\(name)=\(checksum.hex)")
            try require(again == checksum, "what is written is read as the same")
        }
    }

    /// Throws unless a digest has the number of digits of its algorithm.
    static func requireWhole(_ checksum: Checksum) throws(Violation) {
        try require(checksum.hex.utf8.count == checksum.algorithm.length * 2, "a digest has its length")
        let isHexadecimal = checksum.hex.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
        }
        try require(isHexadecimal, "a digest is in small hexadecimal digits")
    }

    /// An address has 4 bytes or 16, and one canonical form.
    package static let ipAddress = InputProperty("ip-address") { input in
        guard let address = IPAddress(input.text) else { return }
        try require(address.bytes.count == (address.isIPv6 ? 16 : 4), "an address has 4 bytes or 16")
        let written = address.description
        try require(IPAddress(written) == address, "what is written is read as the same")
        try require(written.utf8.count <= 39, "the canonical form is short")
        try require(written == written.lowercased(), "and in small letters")
        try require(
            address.isWithin(address, prefixLength: address.bytes.count * 8),
            "an address is within itself"
        )
    }
}
