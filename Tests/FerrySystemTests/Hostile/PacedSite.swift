import Foundation
import Synchronization

/// A server that keeps count of how many it serves at once, and lets that decide how fast each is served, and whether.
final class PacedSite: Sendable {
    private let version: ScenarioVersion
    private let pace: @Sendable (_ served: Int) -> Int
    private let state: Mutex<State>

    private struct State {
        var limit: Int
        var served = 0
        var ledger = Ledger()
    }

    /// What came of it so far.
    struct Ledger: Sendable {
        /// The most that were served at once.
        var mostServed = 0
        var refused = 0
        /// How many bytes were sent, over all bodies.
        var sent = 0
        /// How many had been sent when, for the first time after `crowd` were served, half of them were left.
        var sentWhenHalved: Int?
    }

    /// Serves `version` to at most `limit` at once, each at `pace` bytes a second; the rest are refused with 503.
    init(
        _ version: ScenarioVersion,
        limit: Int = .max,
        pace: @escaping @Sendable (_ served: Int) -> Int
    ) {
        self.version = version
        self.pace = pace
        state = Mutex(State(limit: limit))
    }

    /// What came of it since the last time that this was asked.
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
