import Foundation
import Glibc

/// Runs one scenario with one contender, in its own sandbox, and collects the results of the commands.
struct Trial {
    let scenario: Scenario
    let contender: Contender
    let sandbox: Sandbox
    let server: ScenarioServer
    /// The directory that the contender runs in. It must not touch anything outside.
    var here: String { sandbox.workingDirectory + "/here" }

    /// The result of one command.
    struct Result: Sendable {
        var outcome: Outcome
        var tree: DirectoryTree
        /// How many requests the server got.
        var asked: Int
        var peak = 0
        /// Whether it was killed because it took too long.
        var overdue: Overdue?
    }

    /// Paths outside that may change: logs, the store, and the peers' own files.
    static let own = ["work/here/", "data", "logs/", "server-", "home/.", "site", ".wget-"]

    /// Secrets, which must not be in any output and must not reach another origin.
    static let secrets = ["s3cret", "YW5uYTpzM2NyZXQ", "c00kie", "t0ken"]

    /// Starts the server and the TLS front, creates the existing entries, and runs `body`.
    static func prepare(
        _ scenario: Scenario,
        _ contender: Contender,
        _ body: (Trial) async throws -> Void
    ) async throws {
        try await Sandbox.open { sandbox in
            let server = try ScenarioServer(scenario, root: sandbox.root)
            defer { server.stop() }
            let trial = Trial(scenario: scenario, contender: contender, sandbox: sandbox, server: server)
            try FileManager.default.createDirectory(atPath: trial.here, withIntermediateDirectories: true)
            try trial.plant()
            if scenario.needsTLS {
                let certificate = try await Certificate.selfSigned(in: sandbox)
                let front = try await sandbox.start(
                    Nginx(),
                    ServerOptions(certificate: certificate, backend: server.port)
                )
                server.isFronted(at: front.port)
            }
            try await body(trial)
        }
    }

    private func plant() throws {
        let directory = sandbox.workingDirectory
        try Data("precious".utf8).write(to: URL(fileURLWithPath: directory + "/precious"))
        try FileManager.default.createDirectory(
            atPath: directory + "/elsewhere",
            withIntermediateDirectories: true
        )
        for plant in scenario.plants {
            switch plant {
            case .directory(let name):
                try FileManager.default.createDirectory(
                    atPath: "\(here)/\(name)",
                    withIntermediateDirectories: true
                )
            case .file(let name, let text):
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(here)/\(name)"))
            case .link(let name, let target):
                try FileManager.default.createSymbolicLink(
                    atPath: "\(here)/\(name)",
                    withDestinationPath: target
                )
            }
        }
    }

    /// The files around the contender's directory.
    func surroundings() throws -> DirectoryTree {
        try DirectoryTree.read(sandbox.root, except: Self.own)
    }

    /// Runs the command with this number, from 1.
    func run(_ number: Int, within limit: Duration) async throws -> Result {
        server.begins(run: number)
        return try await run(scenario.runs[number - 1], within: limit)
    }

    /// Runs a command.
    func run(_ run: ScenarioRun, within limit: Duration) async throws -> Result {
        let before = server.requests.count
        let words = contender.commandLine(
            for: try run.arguments.map { try server.argument($0) },
            proposesName: scenario.proposesName
        )
        guard let path = contender.path else { throw Tool.Missing(name: contender.rawValue) }
        let process = try sandbox.launch(executable: path, words, directory: here)
        async let peak = peakMemory(of: process)
        if let moment = run.interruption { try await interrupt(process, at: moment) }
        var overdue: Overdue?
        let outcome: Outcome
        do {
            outcome = try await process.outcome(within: limit)
        } catch let error as Overdue {
            overdue = error
            outcome = Outcome(
                exit: .signal(SIGKILL),
                output: "",
                errors: "",
                commandLine: process.commandLine
            )
        }
        return Result(
            outcome: outcome,
            tree: try DirectoryTree.read(here),
            asked: server.requests.count - before,
            peak: await peak,
            overdue: overdue
        )
    }

    /// Presses Ctrl-C at the chosen moment. For Ferry it waits for that moment. For peers it cannot see the moment, so it waits
    /// for a bounded time.
    private func interrupt(_ process: ChildProcess, at moment: ScenarioRun.Interruption) async throws {
        let limit: Duration = contender == .ferry ? Deadline.limit : .seconds(3)
        let end = ContinuousClock.now + limit
        func isOver() -> Bool { process.hasEnded || ContinuousClock.now > end }
        switch moment {
        case .written(let bytes):
            try await Deadline.wait(for: "the server to hold") { server.isHolding || isOver() }
            try await Deadline.wait(for: "\(bytes) bytes to be written") {
                (process.bytesWritten ?? 0) >= bytes || isOver()
            }
        case .waiting where contender == .ferry:
            try await sandbox.transferBecomes("waiting") { $0.state == "waiting" || isOver() }
        case .waiting:
            try await Deadline.wait(for: "the client to have waited") { isOver() }
        }
        process.send(SIGINT)
    }

    /// Its peak memory in bytes, sampled until its end; 0 for Ferry in a scenario without a memory limit.
    private func peakMemory(of process: ChildProcess) async -> Int {
        guard scenario.peak != nil || contender != .ferry else { return 0 }
        var peak = 0
        while !process.hasEnded {
            peak = max(peak, process.peakMemory ?? 0)
            if peak > Verdict.mostMemory { process.send(SIGKILL) }
            guard await Deadline.passes(after: .milliseconds(10)) else { break }
        }
        return peak
    }

    /// Requests that carried a secret to another origin than that of the first request.
    var leaks: [String] {
        let requests = server.requests
        return requests.filter { request in
            request.origin != requests.first?.origin
                && request.head.fields.contains { field in Self.secrets.contains { field.value.contains($0) }
                }
        }.map { "\($0.origin)\($0.head.path)" }
    }

    /// Whether an entry is a whole version of the file, and not an impostor such as a login page.
    func isWhole(_ entry: DirectoryTree.Entry) -> Bool {
        guard case .file(let bytes) = entry else { return false }
        return scenario.versions.values.contains { !$0.isImpostor && $0.content.bytes == bytes }
    }

    /// The entries that existed before, which must not change.
    var planted: [String: DirectoryTree.Entry] {
        var entries: [String: DirectoryTree.Entry] = [:]
        for plant in scenario.plants {
            switch plant {
            case .directory(let name): entries[name + "/"] = .directory
            case .file(let name, let text): entries[name] = .file(Data(text.utf8))
            case .link(let name, let target): entries[name] = .link(to: target)
            }
        }
        return entries
    }
}
