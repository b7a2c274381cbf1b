import Foundation
import Synchronization

/// A server that counts the requests that it serves at once. The count decides the rate of each request, and whether it
/// is refused.
final class PacedSite: Sendable {
    private let version: ScenarioVersion
    private let pace: @Sendable (_ served: Int) -> Int
    private let state: Mutex<State>

    private struct State {
        var limit: Int
        var served = 0
        var ledger = Ledger()
    }

    /// What the server has counted so far.
    struct Ledger: Sendable {
        /// The most requests that were served at once.
        var mostServed = 0
        var refused = 0
        /// How many bytes were sent, in all bodies together.
        var sent = 0
        /// How many bytes had been sent when the number of requests first fell to half of `crowd`.
        var sentWhenHalved: Int?
    }

    /// Serves `version` to up to `limit` requests at once, each at `pace` bytes per second, and refuses others with 503.
    init(
        _ version: ScenarioVersion,
        limit: Int = .max,
        pace: @escaping @Sendable (_ served: Int) -> Int
    ) {
        self.version = version
        self.pace = pace
        state = Mutex(State(limit: limit))
    }

    /// What the server has counted since the last call of this function.
    func ledger() -> Ledger {
        state.withLock { state in
            defer { state.ledger = Ledger() }
            return state.ledger
        }
    }

    func answer(_ connection: ScriptedConnection, _ request: ScriptedRequest) -> ScriptedServer.Ending {
        let isServed = state.withLock { state in
            guard state.served < state.limit else {
                state.ledger.refused += 1
                return false
            }
            state.served += 1
            state.ledger.mostServed = max(state.ledger.mostServed, state.served)
            return true
        }
        guard isServed else {
            let refusal = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
            return connection.send(Array(refusal.utf8)) ? .stays : .closes
        }
        defer { leave() }
        let (head, range) = HonestAnswer(version: "").answer(to: request, with: version)
        guard connection.send(Array((head + "\r\n").utf8)) else { return .closes }
        var rest = version.content.bytes[range]
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, pace(state.withLock { $0.served }) / 50))
            guard connection.send(piece) else { return .closes }
            state.withLock { $0.ledger.sent += piece.count }
            rest = rest.dropFirst(piece.count)
            connection.pause(20)
        }
        return .stays
    }

    private func leave() {
        state.withLock { state in
            state.served -= 1
            if state.served * 2 == state.ledger.mostServed, state.ledger.sentWhenHalved == nil {
                state.ledger.sentWhenHalved = state.ledger.sent
            }
        }
    }
}
