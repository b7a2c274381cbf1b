import Glibc

/// Finds a free loopback port. Another process may take it before the server does: then the server does not start, and
/// the test tries another port.
enum FreePort {
    static func find() throws -> Int {
        let listener = try listen(queue: 0)
        close(listener.descriptor)
        return listener.port
    }

    /// Finds several free ports, which all differ: each is held until the last one is found.
    static func find(_ count: Int) throws -> [Int] {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        return try (0..<count).map { _ in
            let listener = try listen(queue: 0)
            descriptors.append(listener.descriptor)
            return listener.port
        }
    }

    /// Listens on a free port of the loopback address.
    static func listen(queue: Int32 = 64) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, queue) == 0
                    ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard failure == 0 else {
            let reason = errno
            close(descriptor)
            throw NoPort(errno: reason)
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Closes a connection, even if a process that was started at this moment has inherited the descriptor.
    static func hangUp(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Whether a process listens on this port of the loopback address.
    static func isAnswered(_ port: Int) -> Bool {
        guard let descriptor = try? connect(to: port) else { return false }
        close(descriptor)
        return true
    }

    static func connect(to port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port: port)
        let failure = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard failure == 0 else {
            let reason = errno
            close(descriptor)
            throw NoPort(errno: reason)
        }
        return descriptor
    }

    static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    struct NoPort: Error {
        var errno: Int32
    }
}
