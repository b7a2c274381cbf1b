import Foundation
import Synchronization

/// Plays the server of a scenario: at two origins, and at as many more as names lead to them.
final class ScenarioServer: Sendable {
    private let scenario: Scenario
    private let root: String
    private let state = Mutex(State())

    private struct State {
        var run = 1
        /// What is served instead of the rules, once everything that is hostile is over.
        var honest: HonestAnswer?
        var ports: [String: Int] = [:]
        var requests: [ScenarioRequest] = []
        var mistakes: [String] = []
        /// How many connections are kept waiting.
        var holding = 0
        /// How many requests are being answered.
        var open = 0
        var servers: [ScriptedServer] = []
    }

    /// Serves until ``stop()``; `root` is what `{root}` stands for.
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

    /// Where the first origin listens.
    var port: Int { state.withLock { $0.ports["here"] ?? 0 } }

    /// Notes where a front that speaks TLS listens.
    func isFronted(at port: Int) { state.withLock { $0.ports["tls"] = port } }

    /// Tells that the so-manieth command is about to run.
    func begins(run: Int) { state.withLock { $0.run = run } }

    /// Whether a connection is kept waiting on purpose.
    var isHolding: Bool { state.withLock { $0.holding > 0 } }

    /// From now on the server is right about a version, and nothing else.
    func becomesHonest(about version: String) {
        state.withLock { state in
            state.run += 1
            state.honest = HonestAnswer(version: version)
        }
    }

    /// What was asked so far.
    var requests: [ScenarioRequest] { state.withLock { $0.requests } }

    /// Requests that no rule was for, and rules that could not be carried out: the scenario is wrong.
    var mistakes: [String] { state.withLock { $0.mistakes } }

    /// A word of a command line: with its `{…}` filled in, and a path as a URL.
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

    /// What a `{…}` stands for.
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
