import Foundation
import Glibc
import Testing

/// Uploads to a server of others whose process is killed again and again, each time after a drawn number of bytes.
struct KilledUploads {
    let sandbox: Sandbox
    let server: Server
    let kind: any UploadServer
    let relay: Relay
    private var random = SeededRandom(seed: SeededRandom.seed)
    /// How often the process was killed.
    private(set) var kills = 0
    /// How many files were sent.
    private(set) var files = 0
    /// How many bytes the server was sent in vain, with the heads of all requests.
    private(set) var again = 0

    /// The names of uploads that the store had before the latest file.
    private var formerNames: Set<Substring> = []

    /// The bytes in which an upload begins, and its name is known.
    private static let beginning = 256 * Int.kibibyte
    /// The most bytes that pass before a kill.
    private static let most = 12 * Int.mebibyte

    init(_ sandbox: Sandbox, _ server: Server, _ kind: any UploadServer, _ relay: Relay) {
        (self.sandbox, self.server, self.kind, self.relay) = (sandbox, server, kind, relay)
    }

    /// Sends files until the process was killed N times, and then the last one to its end.
    mutating func run(until count: Int) async throws {
        if let opening = try kind.opening(server) {
            try await Deadline.wait(for: "\(kind.name) to take files", said: { sandbox.saidSoFar }) {
                try await look(opening).status == 0
            }
        }
        while kills < count {
            files += 1
            let (name, content) = ("file-\(files).bin", Content(count: kind.length, seed: UInt64(files)))
            try content.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: name)))
            if let mark = kind.mark { formerNames = try await names(like: mark) }
            let before = relay.sent
            while try await !send(name, killed: kills < count) {}
            again += relay.sent - before - content.count
            try await check(name, content)
        }
    }

    /// Runs ferry.
    ///
    /// - Returns: whether it came to its end.
    private mutating func send(_ name: String, killed: Bool) async throws -> Bool {
        let most = min(Self.most, kind.length)
        relay.letPass(killed ? Int.random(in: Self.beginning...most, using: &random) : .max)
        let put = try sandbox.launch(
            ["put", name] + kind.words(name, through: relay.port),
            environment: SeaweedFS.keys
        )
        try await Deadline.wait(for: "a request to be held", said: { put.errorsSoFar }) {
            put.hasEnded || relay.holdsRequest
        }
        if relay.holdsRequest {
            try await Deadline.wait(for: "the upload's name to be recorded", said: { put.errorsSoFar }) {
                try await knowsUpload()
            }
        }
        if killed { put.send(SIGKILL) }
        let outcome = try await put.outcome()
        guard killed, outcome.exit == .signal(SIGKILL) else {
            try #require(outcome.exit == .status(0), "\(name) after \(kills) kills: \(outcome.errors)")
            return true
        }
        kills += 1
        relay.breakOff()
        try await relay.becomesIdle()
        return false
    }

    /// Whether ferry has recorded the server's name for the latest upload, where that comes while the body is sent.
    private func knowsUpload() async throws -> Bool {
        guard let mark = kind.mark else { return true }
        return try await !names(like: mark).isSubset(of: formerNames)
    }

    /// All names of uploads in the files of the store, also those that it has given up.
    private func names(like mark: String) async throws -> Set<Substring> {
        let line = "grep -aoEh '\(mark)' \"$FERRY_DATA_DIR\"/ferry.sqlite*"
        return Set(try await sandbox.shell(line).output.split(separator: "\n"))
    }

    private func check(_ name: String, _ content: Content) async throws {
        let down = sandbox.path(of: "down")
        try await look(kind.download(name, to: down, from: server)).expect(0)
        #expect(content.isWhole(at: down), "\(name)")
        try FileManager.default.removeItem(atPath: down)
        let unfinished = try await look(kind.unfinished(at: server))
        unfinished.expect(0)
        #expect(unfinished.output == "", "\(name) left uploads")
    }

    private func look(_ command: [String]) async throws -> Outcome {
        try await sandbox.launch(
            executable: command[0],
            Array(command.dropFirst()),
            environment: SeaweedFS.keys
        ).outcome()
    }
}
