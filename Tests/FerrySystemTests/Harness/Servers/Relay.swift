import Dispatch
import Foundation
import Glibc
import Synchronization

/// A relay between ferry and a server that holds an answer back after N bytes, or requests. So a test can interrupt a transfer
/// in the middle, on a machine of any speed, and knows how many bytes have passed. It can also be cut, like a network.
final class Relay: Sendable {
    let port: Int
    private let target: Int
    private let listener: Int32
    private let state: Mutex<State>

    private struct State {
        var holds: [Int]
        var holding = 0
        var passed = 0
        var sent = 0
        var allowance = Int.max
        var holdingRequests = 0
        var open: Set<Int32> = []
        var isStopped = false
        var isCut = false
        var refused = 0
    }

    /// Connection `n` is held after `holds[n]` bytes of the answer, including its head. Later connections pass freely.
    init(toPort target: Int, holdingAfter holds: [Int] = []) throws {
        self.target = target
        state = Mutex(State(holds: holds))
        let listener = try FreePort.listen()
        self.listener = listener.descriptor
        port = listener.port
        Thread.detachNewThread { [self] in accept() }
    }

    /// Runs `body` with a relay, and stops the relay afterwards.
    static func run(
        to server: Server,
        holdingAfter holds: [Int],
        _ body: (Relay) async throws -> Void
    ) async throws {
        let relay = try Relay(toPort: server.port, holdingAfter: holds)
        do {
            try await body(relay)
        } catch {
            relay.stop()
            throw error
        }
        relay.stop()
    }

    func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

    /// How many bytes have passed to clients, including the heads of answers.
    var passed: Int { state.withLock { $0.passed } }

    /// How many bytes have passed to the server, including the heads of requests.
    var sent: Int { state.withLock { $0.sent } }

    /// Lets N more bytes of requests pass, on all connections together. What is held back after them never arrives.
    func letPass(_ count: Int) { state.withLock { $0.allowance = count } }

    /// Whether a request is held back.
    var holdsRequest: Bool { state.withLock { $0.holdingRequests > 0 } }

    /// Waits until an answer is held back.
    func holds() async throws {
        try await Deadline.wait(for: "the relay to hold an answer back") {
            state.withLock { $0.holding > 0 }
        }
    }

    /// Waits until no connection is open.
    func becomesIdle() async throws {
        try await Deadline.wait(for: "the relay to become idle") {
            state.withLock { $0.open.isEmpty }
        }
    }

    /// Breaks off all open connections.
    func breakOff() {
        state.withLock { state in
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Breaks off all connections, and those that are opened until ``mend()``.
    func cut() {
        state.withLock { $0.isCut = true }
        breakOff()
    }

    /// Lets connections pass again.
    func mend() { state.withLock { $0.isCut = false } }

    /// How many connections came while it was cut.
    var refused: Int { state.withLock { $0.refused } }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    // MARK: Connections

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            if client < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                close(listener)
                return
            }
            guard let server = try? FreePort.connect(to: target) else {
                FreePort.hangUp(client)
                continue
            }
            let hold = state.withLock { state -> Int? in
                if state.isCut { state.refused += 1 }
                guard !state.isStopped, !state.isCut else { return nil }
                state.open.formUnion([client, server])
                return state.holds.isEmpty ? Int.max : state.holds.removeFirst()
            }
            guard let hold else {
                FreePort.hangUp(client)
                FreePort.hangUp(server)
                continue
            }
            Thread.detachNewThread { [self] in carry(client, server, hold) }
        }
    }

    private func carry(_ client: Int32, _ server: Int32, _ hold: Int) {
        let requestsEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.copyRequests(from: client, to: server)
            shutdown(server, Int32(SHUT_RDWR))
            requestsEnded.signal()
        }
        let isHeld = Self.copy(from: server, to: client, limit: hold) { count in
            self.state.withLock { $0.passed += count }
        }
        if isHeld {
            state.withLock { $0.holding += 1 }
            // The other thread notices when the client disconnects.
            requestsEnded.wait()
            state.withLock { $0.holding -= 1 }
        }
        shutdown(client, Int32(SHUT_RDWR))
        shutdown(server, Int32(SHUT_RDWR))
        if !isHeld { requestsEnded.wait() }
        state.withLock { $0.open.subtract([client, server]) }
        FreePort.hangUp(client)
        FreePort.hangUp(server)
    }

    /// Copies until one side has ended (returns `false`) or `limit` bytes are copied (returns `true`).
    private static func copy(from: Int32, to: Int32, limit: Int, counting: (Int) -> Void) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var copied = 0
        while copied < limit {
            let count = recv(from, &buffer, min(buffer.count, limit - copied), 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0, forward(buffer[..<count], to: to) else { return false }
            copied += count
            counting(count)
        }
        return true
    }

    /// Copies requests until one side has ended, as far as they may pass.
    private func copyRequests(from client: Int32, to server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            let admitted = state.withLock { state in
                let admitted = min(count, state.allowance)
                if state.allowance != .max { state.allowance -= admitted }
                return admitted
            }
            guard Self.forward(buffer[..<admitted], to: server) else { return }
            state.withLock { $0.sent += admitted }
            guard admitted == count else { return holdRequests(of: client) }
        }
    }

    /// Waits until the connection is broken off.
    private func holdRequests(of client: Int32) {
        state.withLock { $0.holdingRequests += 1 }
        var end = pollfd(fd: client, events: 0, revents: 0)
        while poll(&end, 1, -1) < 0, errno == EINTR {}
        state.withLock { $0.holdingRequests -= 1 }
    }

    private static func forward(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
