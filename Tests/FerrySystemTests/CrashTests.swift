import Foundation
import Glibc
import Testing

/// Kills the real binary at random moments of real downloads, again and again. No file may be wrong, and few bytes may
/// be fetched twice.
@Suite("Crashes", .limitedParallelism, .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
struct CrashTests {
    /// Number of kills: 100 in the suite, and more with scripts/crash.
    static let kills = ProcessInfo.processInfo.environment["FERRY_CRASH_COUNT"].flatMap { Int($0) } ?? 100
    static let size = 6 * Int.mebibyte
    static let rate = 3 * Int.mebibyte
    static let killsPerFile = 4
    /// Bytes that may be in flight between server and ferry: the buffers of both sockets, and one buffer of ferry's.
    static let inFlight = 1 * Int.mebibyte

    @Test("no kill damages a file or repeats more than one second's worth of bytes")
    func killsAtRandomMoments() async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(Nginx(), ServerOptions(bytesPerSecond: Self.rate))
            var tally = CrashTally()
            var random = SeededRandom(seed: SeededRandom.seed)
            var file = 0
            while tally.kills + tally.survivals < Self.kills {
                // Several downloads at once, so that the rate of one connection does not limit the whole test.
                let left = Self.kills - tally.kills - tally.survivals
                let lanes = min(8, (left + Self.killsPerFile - 1) / Self.killsPerFile)
                let downloads = (0..<lanes).map { lane in
                    KilledDownload(number: file + lane, random: SeededRandom(seed: random.next()))
                }
                file += lanes
                try await withThrowingTaskGroup(of: CrashTally.self) { group in
                    for download in downloads {
                        group.addTask { try await download.run(in: sandbox, server) }
                    }
                    for try await part in group { tally.add(part) }
                }
            }
            print(
                "crash: \(tally.kills) kills, \(tally.wrong.count) wrong files of \(tally.files),"
                    + " at most \(tally.mostRepeated) bytes fetched twice (seed \(SeededRandom.seed))"
            )
            #expect(
                tally.wrong.isEmpty,
                "seed \(SeededRandom.seed): \(tally.wrong.joined(separator: "\n"))"
            )
            #expect(tally.mostRepeated <= Self.rate + Self.inFlight, "seed \(SeededRandom.seed)")
            #expect(tally.kills > 0)
        }
    }

    /// One download that is killed several times and then completed.
    struct KilledDownload: Sendable {
        let number: Int
        let random: SeededRandom

        func run(in sandbox: Sandbox, _ server: Server) async throws -> CrashTally {
            var random = random
            var tally = CrashTally()
            let content = Content(
                count: CrashTests.size + Int.random(in: 0...65_536, using: &random),
                seed: random.next()
            )
            let name = "crash-\(number).bin"
            try sandbox.publish(content, as: name)
            // Every second file has its own store. The others share one, like the processes of one user.
            let environment =
                number.isMultiple(of: 2) ? ["FERRY_DATA_DIR": "\(sandbox.root)/data-\(number)"] : [:]
            // The number of bytes in one second is known only for a single connection.
            let isSingle = number % 4 < 2
            let line = ["get", "-q", "-x", isSingle ? "1" : "16", server.url(name)]
            for _ in 0..<CrashTests.killsPerFile {
                let moment = Int.random(in: 0...(content.count * 2 / 5), using: &random)
                let process = try sandbox.launch(line, environment: environment)
                try await Deadline.wait(for: "\(name) to have written \(moment) bytes") {
                    process.hasEnded || (process.bytesWritten ?? 0) >= moment
                }
                process.send(SIGKILL)
                let outcome = try await process.outcome()
                if outcome.exit == .signal(SIGKILL) { tally.kills += 1 } else { tally.survivals += 1 }
                let path = sandbox.path(of: name)
                if FileManager.default.fileExists(atPath: path), !content.isWhole(at: path) {
                    tally.wrong.append("\(name): not whole under its final name after a kill")
                }
            }
            let last = try await sandbox.launch(line, environment: environment).outcome()
            tally.files = 1
            if last.status != 0 || !content.isWhole(at: sandbox.path(of: name)) {
                tally.wrong.append("\(name): status \(last.status), \(last.errors)")
            }
            if isSingle {
                tally.mostRepeated = try await Self.mostRepeated(of: name, size: content.count, server)
            }
            try FileManager.default.removeItem(atPath: sandbox.path(of: name))
            try FileManager.default.removeItem(atPath: "\(sandbox.site)/\(name)")
            return tally
        }

        /// The most bytes that the server sent again after one kill, from its log.
        private static func mostRepeated(of name: String, size: Int, _ server: Server) async throws -> Int {
            func logged() -> [LoggedRequest] { server.requests.filter { $0.path == "/\(name)" } }
            // A broken connection is logged when the server notices it. The log is complete when it covers the whole file.
            try await Deadline.wait(for: "the log of \(name)") {
                logged().reduce(0) { $0 + $1.sent } >= size
                    && logged().contains { $0.start + $0.sent == size }
            }
            let requests = logged()
            var most = 0
            for (request, next) in zip(requests, requests.dropFirst()) {
                most = max(most, request.start + request.sent - next.start)
            }
            return most
        }
    }

    /// Counts over one or more downloads.
    struct CrashTally: Sendable {
        var kills = 0
        /// Downloads that ended before they could be killed.
        var survivals = 0
        var files = 0
        var wrong: [String] = []
        var mostRepeated = 0

        mutating func add(_ other: CrashTally) {
            kills += other.kills
            survivals += other.survivals
            files += other.files
            wrong += other.wrong
            mostRepeated = max(mostRepeated, other.mostRepeated)
        }
    }
}
