import Foundation
import Glibc
import Synchronization

/// A server inside the test that answers as the test says. It can send statuses, stalls and breaks that real servers
/// show only rarely.
final class ScriptedServer: Sendable {
    let port: Int
    private let listener: Int32
    private let play: @Sendable (ScriptedConnection, ScriptedRequest) -> Ending
    private let state = Mutex(State())

    private struct State {
        var requests: [ScriptedRequest] = []
        /// The number of requests for each path. A count of `requests` for each of thousands would hold up all threads.
        var counts: [String: Int] = [:]
        var open: Set<Int32> = []
        var isStopped = false
    }

    /// What happens to a connection after an answer.
    enum Ending: Sendable {
        /// It stays open for the next request.
        case stays
        case closes
        case resets
    }

    /// Answers each request with a reply, until ``stop()``.
    convenience init(answer: @escaping @Sendable (ScriptedRequest) -> ScriptedReply) throws {
        try self.init { $0.write(answer($1), to: $1) ? .stays : .closes }
    }

    /// Lets `play` answer each request, until ``stop()``.
    init(playing play: @escaping @Sendable (ScriptedConnection, ScriptedRequest) -> Ending) throws {
        self.play = play
        let listener = try FreePort.listen()
        self.listener = listener.descriptor
        port = listener.port
        Thread.detachNewThread { [self] in accept() }
    }

    /// Runs `body` with a server, and stops the server afterwards.
    static func run(
        answering answer: @escaping @Sendable (ScriptedRequest) -> ScriptedReply,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let server = try ScriptedServer(answer: answer)
        do {
            try await body(server)
        } catch {
            server.stop()
            throw error
        }
        server.stop()
    }

    /// The same with a new sandbox.
    static func run(
        answering answer: @escaping @Sendable (ScriptedRequest) -> ScriptedReply,
        _ body: (Sandbox, ScriptedServer) async throws -> Void
    ) async throws {
        try await run(answering: answer) { server in
            try await Sandbox.open { sandbox in try await body(sandbox, server) }
        }
    }

    /// The same, where the test is given first.
    static func run(
        with body: (Sandbox, ScriptedServer) async throws -> Void,
        answering answer: @escaping @Sendable (ScriptedRequest) -> ScriptedReply
    ) async throws {
        try await run(answering: answer, body)
    }

    func url(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

    /// All requests so far.
    var requests: [ScriptedRequest] { state.withLock { $0.requests } }

    /// Whether no connection is open.
    var isIdle: Bool { state.withLock { $0.open.isEmpty } }

    /// Breaks off every connection and accepts no more.
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
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                FreePort.hangUp(listener)
                return
            }
            let isWelcome = state.withLock { state in
                if !state.isStopped { state.open.insert(descriptor) }
                return !state.isStopped
            }
            guard isWelcome else {
                FreePort.hangUp(descriptor)
                continue
            }
            Thread.detachNewThread { [self] in
                let ending = serve(ScriptedConnection(descriptor: descriptor))
                state.withLock { _ = $0.open.remove(descriptor) }
                // A shutdown would end the connection in order, before the reset.
                if ending == .resets { close(descriptor) } else { FreePort.hangUp(descriptor) }
            }
        }
    }

    private func serve(_ connection: ScriptedConnection) -> Ending {
        while let head = connection.readHead() {
            let request = state.withLock { state in
                var request = head
                state.counts[head.path, default: 0] += 1
                request.ordinal = state.counts[head.path, default: 1]
                state.requests.append(request)
                return request
            }
            let ending = play(connection, request)
            if ending == .resets { connection.resetWhenClosed() }
            guard ending == .stays else { return ending }
        }
        return .closes
    }
}
