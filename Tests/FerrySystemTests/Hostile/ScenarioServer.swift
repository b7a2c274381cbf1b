import Foundation
import Synchronization

/// The server of a scenario. It has two origins, and more names that lead to them.
final class ScenarioServer: Sendable {
    private let scenario: Scenario
    private let root: String
    private let state = Mutex(State())

    private struct State {
        var run = 1
        /// The version that an honest server serves after the hostile part of the scenario; `nil` until then.
        var honest: HonestAnswer?
        var ports: [String: Int] = [:]
        var requests: [ScenarioRequest] = []
        var mistakes: [String] = []
        /// How many connections the server keeps waiting.
        var holding = 0
        /// How many requests are being answered.
        var open = 0
        var servers: [ScriptedServer] = []
    }

    /// Serves until ``stop()``. `root` replaces `{root}`.
    init(_ scenario: Scenario, root: String) throws {
        self.scenario = scenario
        self.root = root
        for origin in ["here", "other"] {
            let server = try ScriptedServer(playing: { [weak self] connection, head in
                self?.answer(head, at: origin, on: connection) ?? .closes
            })
            state.withLock { state in
                state.ports[origin] = server.port
                state.servers.append(server)
            }
        }
    }

    func stop() {
        for server in state.withLock({ $0.servers }) { server.stop() }
    }

    /// The port of the first origin.
    var port: Int { state.withLock { $0.ports["here"] ?? 0 } }

    /// Sets the port of the TLS front.
    func isFronted(at port: Int) { state.withLock { $0.ports["tls"] = port } }

    /// Sets the number of the command that is about to run.
    func begins(run: Int) { state.withLock { $0.run = run } }

    /// Whether the server keeps a connection waiting on purpose.
    var isHolding: Bool { state.withLock { $0.holding > 0 } }

    /// Makes the server honest: from now on it serves only this version.
    func becomesHonest(about version: String) {
        state.withLock { state in
            state.run += 1
            state.honest = HonestAnswer(version: version)
        }
    }

    /// All requests so far.
    var requests: [ScenarioRequest] { state.withLock { $0.requests } }

    /// Requests without a rule, and rules that could not be carried out. Both are mistakes of the scenario.
    var mistakes: [String] { state.withLock { $0.mistakes } }

    /// An argument of a command, with every `{…}` filled in and a path turned into a URL.
    func argument(_ text: ScenarioText) throws -> String {
        let word = String(decoding: try text.bytes { try filled($0, for: nil) }, as: UTF8.self)
        return word.hasPrefix("/") && !word.hasPrefix(root) ? url(of: "here") + word : word
    }

    private func url(of origin: String) -> String {
        let ports = state.withLock { $0.ports }
        return switch origin {
        case "localhost": "http://localhost:\(ports["here"] ?? 0)"
        case "tls": "https://127.0.0.1:\(ports["tls"] ?? 0)"
        default: "http://127.0.0.1:\(ports[origin] ?? 0)"
        }
    }

    // MARK: Answers

    private func answer(
        _ head: ScriptedRequest,
        at listener: String,
        on connection: ScriptedConnection
    ) -> ScriptedServer.Ending {
        let isLocal = head["host"]?.hasPrefix("localhost") == true
        let origin = head["x-front"] ?? (listener == "here" && isLocal ? "localhost" : listener)
        let (request, honest) = state.withLock { state in
            var request = ScenarioRequest(head: head, origin: origin, run: state.run, ordinal: 1)
            request.ordinal += state.requests.count {
                $0.head.path == head.path && $0.origin == origin && $0.run == request.run
            }
            state.open += 1
            request.open = state.open
            state.requests.append(request)
            return (request, state.honest)
        }
        defer { state.withLock { $0.open -= 1 } }
        do {
            let player = AnswerPlayer(
                scenario: scenario,
                request: request,
                connection: connection,
                fill: { try self.filled($0, for: request) },
                hold: { self.hold(connection) }
            )
            if let honest { return try player.play([.honest(honest)]) }
            guard let rule = scenario.rules.first(where: { $0.fits(request) }) else {
                throw ScenarioMistake("no rule is for \(head.method) \(head.path) (run \(request.run))")
            }
            return try player.play(rule.steps)
        } catch {
            state.withLock { $0.mistakes.append("\(error)") }
            return .closes
        }
    }

    private func hold(_ connection: ScriptedConnection) {
        state.withLock { $0.holding += 1 }
        connection.hold()
        state.withLock { $0.holding -= 1 }
    }

    /// The text for a `{…}`.
    private func filled(_ name: String, for request: ScenarioRequest?) throws -> String {
        switch name {
        case "root": return root
        case "here", "other", "localhost", "tls": return url(of: name)
        case "path": return request?.head.path ?? ""
        default:
            let value = try ScenarioNumber(name).value { word in
                word == "port" ? port : request.flatMap { scenario.meaning(of: word, for: $0) }
            }
            guard let value else { throw ScenarioMistake("{\(name)} stands for nothing") }
            return String(value)
        }
    }
}

extension Scenario {
    /// The value of a word in a ``ScenarioNumber``.
    func meaning(of word: String, for request: ScenarioRequest) -> Int? {
        switch word {
        case "from": request.head.rangeStart ?? 0
        case "n": request.ordinal
        default: versions[word]?.content.count
        }
    }
}
