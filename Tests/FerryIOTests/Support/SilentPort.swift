import Glibc

/// A loopback port that refuses every connection while this object exists. It is bound but does not listen, so no other
/// process can take it.
final class SilentPort: Sendable {
    /// The port.
    let port: Int
    private let descriptor: Int32

    /// Why no port could be taken.
    struct Unavailable: Error {
        var errno: Int32
    }

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let failure = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard failure == 0 else { throw Unavailable(errno: errno) }
    }

    deinit { close(descriptor) }
}
