import Foundation

/// A strict server that counts what takes effect. It acts on most requests and answers them; on others it does neither,
/// or only one of both.
struct CountingServer: Sendable {
    /// What the server does with a request.
    enum Conduct: Hashable, Sendable {
        /// It acts after a number of milliseconds, and answers.
        case answers(after: Int)
        /// It acts or not, and closes the connection without an answer.
        case hangsUp(acts: Bool, resets: Bool)
        /// It acts, and its answer breaks off.
        case breaksOff
        /// It acts or not, and says that something went wrong.
        case fails(acts: Bool)
        /// It says that it does not act, before or after it has read the body.
        case isBusy(status: Int, readsBody: Bool)
    }

    let ledger: EffectLedger
    /// Whether it still disturbs.
    let isHonest: Flag

    /// The body of the answer to a request that has taken effect.
    static func answer(to number: Int) -> String { "done \(number)" }

    /// Serves until the body ends.
    func run(_ body: (ScriptedServer) async throws -> Void) async throws {
        let server = try ScriptedServer { play($0, $1) }
        defer { server.stop() }
        try await body(server)
    }

    /// Draws a conduct from the seed, the request, and how often it came before.
    static func conduct(_ number: Int, ordinal: Int) -> Conduct {
        var random = SeededRandom(
            seed: SeededRandom.seed &+ UInt64(number) &* 0x1_0000_01B3 &+ UInt64(ordinal) &* 0x5851_F42D
        )
        let isFirst = Bool.random(using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<3: return .hangsUp(acts: isFirst, resets: false)
        case 3..<6: return .hangsUp(acts: isFirst, resets: true)
        case 6..<8: return .breaksOff
        case 8..<11: return .fails(acts: isFirst)
        case 11..<15: return .isBusy(status: [429, 503].randomElement(using: &random)!, readsBody: isFirst)
        default: return .answers(after: isFirst ? 0 : Int.random(in: 0..<25, using: &random))
        }
    }

    private func play(_ connection: ScriptedConnection, _ request: ScriptedRequest) -> ScriptedServer.Ending {
        guard let number = CountingPlan.number(of: request.path) else { return .closes }
        ledger.arrives(number, method: request.method, key: request["idempotency-key"])
        let conduct = isHonest.isSet ? .answers(after: 0) : Self.conduct(number, ordinal: request.ordinal)
        if case .isBusy(let status, readsBody: false) = conduct {
            return refuse(number, status, connection, request)
        }
        guard let body = connection.askForBody(of: request) else { return .closes }
        switch ledger.take(number, body: body) {
        case .fresh: return handle(number, conduct, connection, request)
        case .repeated: return answer(number, connection, request)
        case .twin: return connection.write(ScriptedReply(status: 409), to: request) ? .stays : .closes
        }
    }

    private func handle(
        _ number: Int,
        _ conduct: Conduct,
        _ connection: ScriptedConnection,
        _ request: ScriptedRequest
    ) -> ScriptedServer.Ending {
        switch conduct {
        case .answers(let milliseconds):
            // It acts although its client may be gone.
            connection.pause(milliseconds)
            ledger.acts(on: number)
            return answer(number, connection, request)
        case .hangsUp(let acts, let resets):
            if acts { ledger.acts(on: number) } else { ledger.releases(number) }
            return resets ? .resets : .closes
        case .breaksOff:
            ledger.acts(on: number)
            var reply = Self.reply(number)
            reply.cut = .init(bytes: 2, then: .hangUp)
            return connection.write(reply, to: request) ? .stays : .closes
        case .fails(let acts):
            if acts { ledger.acts(on: number) } else { ledger.releases(number) }
            return connection.write(ScriptedReply(status: 500), to: request) ? .stays : .closes
        case .isBusy(let status, _):
            ledger.releases(number)
            return refuse(number, status, connection, request)
        }
    }

    /// Says that a request was not acted on. After an answer before the body, the connection cannot be used again.
    private func refuse(
        _ number: Int,
        _ status: Int,
        _ connection: ScriptedConnection,
        _ request: ScriptedRequest
    ) -> ScriptedServer.Ending {
        ledger.denies(number)
        var reply = ScriptedReply(status: status, fields: [("Retry-After", "\(number % 2)")])
        reply.framing = .untilClose
        _ = connection.write(reply, to: request)
        return .closes
    }

    private func answer(
        _ number: Int,
        _ connection: ScriptedConnection,
        _ request: ScriptedRequest
    ) -> ScriptedServer.Ending {
        connection.write(Self.reply(number), to: request) ? .stays : .closes
    }

    private static func reply(_ number: Int) -> ScriptedReply {
        ScriptedReply(status: 201, body: Array(answer(to: number).utf8))
    }
}
