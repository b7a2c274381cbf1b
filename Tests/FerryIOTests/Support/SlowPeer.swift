import FerryIO
import Foundation
import Testing

/// A server that takes only as many bytes as a test asks for. All others stay in the kernels, mostly in that of the client.
final class SlowPeer: Sendable {
    let port: Int
    private let listener: CInt
    private let threads = IOThreads(count: 1)

    init() throws {
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        try #require(listener >= 0)
        var (room, one) = (CInt(64 * 1024), CInt(1))
        setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<CInt>.size))
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, size) = (listener, length)
        try withUnsafeMutableBytes(of: &name) { bytes in
            let address = try #require(bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self))
            try #require(bind(listener, address, size) == 0 && listen(listener, 1) == 0)
            try #require(getsockname(listener, address, &length) == 0)
        }
        port = Int(UInt16(bigEndian: name.sin_port))
    }

    /// Waits for a connection.
    func accept() async throws -> CInt {
        let listener = listener
        return try await threads.run { Foundation.accept(listener, nil, nil) }
    }

    /// Reads exactly `count` bytes.
    func read(_ count: Int, from connection: CInt) async throws -> [UInt8] {
        try await threads.run {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = bytes.withUnsafeMutableBytes {
                recv(connection, $0.baseAddress, count, CInt(MSG_WAITALL))
            }
            try #require(got == count)
            return bytes
        }
    }

    /// Reads up to the empty line.
    func readHead(from connection: CInt) async throws {
        var head: [UInt8] = []
        while head.suffix(4) != [13, 10, 13, 10] { head += try await read(1, from: connection) }
    }

    func send(_ text: String, to connection: CInt) async throws {
        try await threads.run {
            #expect(Foundation.send(connection, text, text.utf8.count, 0) == text.utf8.count)
        }
    }

    /// Closes the listener and a connection.
    func close(_ connection: CInt) async throws {
        // Wakes a thread that still waits for one of them.
        for descriptor in [connection, listener] { shutdown(descriptor, CInt(SHUT_RDWR)) }
        try await threads.shutdown()
        for descriptor in [connection, listener] { Foundation.close(descriptor) }
    }
}
