import Glibc
import Testing

/// An output that keeps each written piece apart.
struct OutputPieces {
    private let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
        (reader, writer) = (ends[0], ends[1])
    }

    /// The pieces written since they were last read.
    func read() -> [String] {
        var pieces: [String] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 17)
        while true {
            let count = recv(reader, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return pieces }
            pieces.append(String(decoding: buffer.prefix(count), as: UTF8.self))
        }
    }

    func close() {
        for end in [reader, writer] { _ = Glibc.close(end) }
    }
}
