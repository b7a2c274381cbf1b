import Dispatch
import Foundation
import Glibc
import Synchronization

/// The service manager's end of the notification socket (sd_notify).
final class NotifyListener: Sendable {
    /// The value for `NOTIFY_SOCKET`.
    let name: String
    private let descriptor: Int32
    private let messages = Mutex<[String]>([])
    /// Dispatch objects are thread-safe, but their protocol is not marked Sendable.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    struct NotBound: Error {
        var errno: Int32
    }

    /// Listens at a path, or at an abstract name if it begins with `@`.
    init(at name: String) throws {
        self.name = name
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 } else { bytes.append(0) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        self.descriptor = descriptor
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "notify")
        )
        guard bound == 0 else { throw NotBound(errno: errno) }
        source.setEventHandler { [weak self] in self?.receive() }
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count >= 0 else { return }
            messages.withLock { $0.append(String(decoding: buffer[..<count], as: UTF8.self)) }
        }
    }

    /// All received lines, in order.
    var lines: [String] {
        messages.withLock { $0 }.flatMap { $0.split(separator: "\n").map(String.init) }
    }

    /// Waits until `count` lines with this prefix have arrived.
    func hears(_ line: String, times: Int = 1) async throws {
        try await Deadline.wait(for: "\(times) × \(line)", said: { "\(self.lines)" }) {
            self.lines.count { $0.hasPrefix(line) } >= times
        }
    }

    /// Stops listening.
    func stop() {
        source.cancel()
    }
}
