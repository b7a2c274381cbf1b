/// A message of the kernel's netlink protocol (RFC 3549 §2.3.2), in the byte order of this machine.
struct NetlinkMessage: Hashable, Sendable {
    /// Its type: a request, an answer, an error or the end of a list.
    var type: UInt16
    /// Its flags.
    var flags: UInt16 = 0
    /// The number that an answer shares with its request.
    var sequence: UInt32 = 0
    /// The bytes after the header.
    var payload: [UInt8]

    /// The length of the header in bytes.
    static let headerLength = 16
    /// The type of an error, or of a success report.
    static let error: UInt16 = 2
    /// The type of the end of a list.
    static let done: UInt16 = 3

    /// The messages of a datagram, up to the first incomplete one.
    static func messages(in datagram: [UInt8]) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = datagram[...]
        while let length = rest.number(at: 0, as: UInt32.self), length >= UInt32(headerLength),
            length <= UInt32(clamping: rest.count),
            let type = rest.number(at: 4, as: UInt16.self),
            let flags = rest.number(at: 6, as: UInt16.self),
            let sequence = rest.number(at: 8, as: UInt32.self)
        {
            let end = rest.startIndex + Int(length)
            let payload = Array(rest[(rest.startIndex + headerLength)..<end])
            messages.append(
                NetlinkMessage(type: type, flags: flags, sequence: sequence, payload: payload)
            )
            rest = rest[min(rest.startIndex + aligned(Int(length)), rest.endIndex)...]
        }
        return messages
    }

    /// The encoded message.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt32(Self.headerLength + payload.count))
        bytes.append(number: type)
        bytes.append(number: flags)
        bytes.append(number: sequence)
        bytes.append(number: UInt32(0))
        return bytes + payload
    }

    /// The `errno` of an error message; 0 for success, `nil` for another message.
    var errorNumber: Int32? {
        guard type == Self.error, let negative = payload[...].number(at: 0, as: Int32.self) else {
            return nil
        }
        return negative == .min ? .max : abs(negative)
    }

    /// The attributes after the first `offset` bytes of the payload. If two have the same type, the first counts; attributes
    /// after an incomplete one are ignored.
    func attributes(from offset: Int) -> [(type: UInt16, value: ArraySlice<UInt8>)] {
        var attributes: [(type: UInt16, value: ArraySlice<UInt8>)] = []
        var rest = payload[min(offset, payload.count)...]
        while let length = rest.number(at: 0, as: UInt16.self), length >= 4, Int(length) <= rest.count,
            let type = rest.number(at: 2, as: UInt16.self)
        {
            let end = rest.startIndex + Int(length)
            // The two highest bits describe the encoding of the value.
            attributes.append((type & 0x3FFF, rest[(rest.startIndex + 4)..<end]))
            rest = rest[min(rest.startIndex + Self.aligned(Int(length)), rest.endIndex)...]
        }
        return attributes
    }

    /// An encoded attribute.
    static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt16(4 + value.count))
        bytes.append(number: type)
        bytes += value
        return bytes + [UInt8](repeating: 0, count: aligned(value.count) - value.count)
    }

    /// Everything begins at a multiple of four.
    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// A number in this machine's byte order, at an offset; `nil` when it is incomplete.
    func number<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int,
        as type: Number.Type
    ) -> Number? {
        guard offset >= 0, offset + MemoryLayout<Number>.size <= count else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}

extension [UInt8] {
    /// Appends a number in this machine's byte order.
    mutating func append(number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number) { append(contentsOf: $0) }
    }
}
