/// An IPv4 or IPv6 address in its textual form (RFC 1123 §2.1, RFC 4291 §2.2).
public struct IPAddress: Hashable, Sendable {
    /// The address in network byte order: 4 bytes for IPv4, 16 for IPv6.
    public let bytes: [UInt8]

    /// Whether this is an IPv6 address.
    public var isIPv6: Bool { bytes.count == 16 }

    /// Whether it leads back to this machine: 127.0.0.0/8 or `::1`.
    package var isLoopback: Bool {
        isIPv6 ? bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 : bytes.first == 127
    }

    /// Creates an address from 4 or 16 bytes in network byte order; `nil` for any other number of bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// Parses an address: dotted decimal with exactly four numbers, or IPv6 without brackets and without a zone.
    ///
    /// - Returns: `nil` for anything else, including short and octal forms such as `127.1`.
    public init?(_ text: String) {
        let octets = Array(text.utf8)
        guard octets.count <= 45 else { return nil }
        guard let bytes = octets.contains(0x3A) ? Self.version6(octets[...]) : Self.version4(octets[...])
        else { return nil }
        self.bytes = bytes
    }

    /// Whether the first `prefixLength` bits equal those of `network`.
    package func isWithin(_ network: IPAddress, prefixLength: Int) -> Bool {
        guard bytes.count == network.bytes.count, (0...bytes.count * 8).contains(prefixLength) else {
            return false
        }
        let whole = prefixLength / 8
        guard bytes.prefix(whole).elementsEqual(network.bytes.prefix(whole)) else { return false }
        let rest = prefixLength % 8
        return rest == 0 || (bytes[whole] ^ network.bytes[whole]) >> UInt8(8 - rest) == 0
    }

    private static func version4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            // Some resolvers read a leading zero as octal, others as decimal.
            guard part.count <= 3, part.count == 1 || part.first != 0x30,
                let number = DecimalNumber(part)?.fitting, number <= 255
            else { return nil }
            bytes.append(UInt8(number))
        }
        return bytes
    }

    private static func version6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard
            let gap = zip(text.indices, text.indices.dropFirst()).first(where: {
                text[$0] == 0x3A && text[$1] == 0x3A
            })
        else {
            guard let bytes = groups(text), bytes.count == 16 else { return nil }
            return bytes
        }
        guard let head = groups(text[..<gap.0]), let tail = groups(text[(gap.1 + 1)...]) else { return nil }
        // "::" stands for at least one group of zeros, and dotted decimal may only come last (RFC 4291 §2.2).
        guard head.count + tail.count <= 14, !text[..<gap.0].contains(0x2E) else { return nil }
        return head + repeatElement(0, count: 16 - head.count - tail.count) + tail
    }

    /// Groups of one to four hexadecimal digits between colons; the last may be in dotted decimal.
    private static func groups(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: 0x3A, omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var bytes: [UInt8] = []
        for (place, part) in parts.enumerated() {
            if place == parts.count - 1, part.contains(0x2E) {
                guard let last = version4(part) else { return nil }
                bytes += last
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var group: UInt16 = 0
            for digit in part {
                guard let value = digit.hexadecimalValue else { return nil }
                group = group << 4 | UInt16(value)
            }
            bytes.append(UInt8(group >> 8))
            bytes.append(UInt8(group & 0xFF))
        }
        return bytes
    }
}

extension IPAddress: CustomStringConvertible {
    /// The address in its canonical form (RFC 5952), without brackets.
    public var description: String {
        guard isIPv6 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        let zeros = Self.longestRunOfZeros(in: groups)
        let texts = groups.map { String($0, radix: 16) }
        guard let zeros else { return texts.joined(separator: ":") }
        return texts[..<zeros.lowerBound].joined(separator: ":") + "::"
            + texts[zeros.upperBound...].joined(separator: ":")
    }

    /// The first of the longest runs of two or more zero groups, which `::` replaces (RFC 5952 §4.2).
    private static func longestRunOfZeros(in groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        for (index, group) in groups.enumerated() {
            guard group == 0 else {
                start = index + 1
                continue
            }
            let run = start..<index + 1
            if run.count >= 2, run.count > best?.count ?? 0 { best = run }
        }
        return best
    }
}
