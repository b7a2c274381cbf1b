import FerryFrontend
import Glibc

/// The socket over which a service reports to its manager (sd_notify(3)). Each message is one datagram of lines
/// `NAME=value`.
struct NotifySocket: Sendable {
    /// Why a message could not be sent.
    struct Problem: Error, Hashable, Sendable {
        /// The kernel's error number; `nil` if the address is invalid.
        var errno: Int32?

        /// The reason, in words.
        var reason: String {
            errno.map { String(cString: strerror($0)) }
                ?? "its address is not a path or abstract name of valid length"
        }
    }

    /// Time limit for sending to a manager that does not read, so that it cannot block the service.
    static let patience = timeval(tv_sec: 1, tv_usec: 0)

    private let address: [UInt8]

    /// The socket that `NOTIFY_SOCKET` names; `nil` if it is unset. A name that begins with `@` is in the abstract
    /// name space, which has no files.
    init?(_ environment: ProcessEnvironment) {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        var bytes = Array(name.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        address = bytes
    }

    /// Sends one message.
    func send(_ message: String) throws(Problem) {
        let isName = address[0] == 0 || address[0] == UInt8(ascii: "/")
        var peer = sockaddr_un()
        let room = MemoryLayout.size(ofValue: peer.sun_path)
        // A path needs room for its final zero; an abstract name ends with the address.
        guard isName, address.count > 1, address.count < room + (address[0] == 0 ? 1 : 0) else {
            throw Problem(errno: nil)
        }
        peer.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &peer.sun_path) { $0.copyBytes(from: address) }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size
        let length = offset + address.count + (address[0] == 0 ? 0 : 1)

        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Problem(errno: errno) }
        defer { close(descriptor) }
        var patience = Self.patience
        setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_SNDTIMEO,
            &patience,
            socklen_t(MemoryLayout<timeval>.size)
        )
        let bytes = Array(message.utf8)
        let sent = withUnsafePointer(to: &peer) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { peer in
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), peer, socklen_t(length))
            }
        }
        guard sent == bytes.count else { throw Problem(errno: errno) }
    }
}
