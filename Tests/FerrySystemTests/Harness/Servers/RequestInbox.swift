import Foundation
import Synchronization

/// The requests that a server has received whole.
final class RequestInbox: Sendable {
    /// A request with its body, as the server received it.
    struct Received: Sendable {
        var request: ScriptedRequest
        var bytes: [UInt8]

        /// The body as text.
        var body: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let received = Mutex<[Received]>([])

    /// All of them, in the order of their arrival.
    var all: [Received] { received.withLock { $0 } }

    func take(_ request: ScriptedRequest, _ body: [UInt8]) {
        received.withLock { $0.append(Received(request: request, bytes: body)) }
    }

    /// Runs `body` with a server; `answer` gives no reply to reset the connection.
    static func served(
        _ answer: @escaping @Sendable (ScriptedRequest) -> ScriptedReply? = { _ in ScriptedReply(status: 201)
        },
        _ body: (Sandbox, ScriptedServer, RequestInbox) async throws -> Void
    ) async throws {
        let inbox = RequestInbox()
        let server = try ScriptedServer { connection, request in
            guard let body = connection.readBody(of: request) else { return .closes }
            inbox.take(request, body)
            guard let reply = answer(request) else { return .resets }
            return connection.write(reply, to: request) ? .stays : .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in try await body(sandbox, server, inbox) }
    }
}
