import Foundation
import Glibc
import Testing

/// Networks that fail before a server can answer, or in the middle.
@Suite("Network failures", .limitedParallelism)
struct NetworkFailureTests {
    @Test("a name that does not resolve ends with 19, and the message names it")
    func nameNotResolved() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.ferry("get", "--retries", "0", "http://no-such-host.invalid/file")
            outcome.expect(19)
            #expect(outcome.errors.contains("no-such-host.invalid"))
            #expect(try sandbox.fileNames() == [])
        }
    }

    @Test("a name that no resolver knows is tried three times, even in the background")
    func unknownHost() async throws {
        try await Sandbox.open { sandbox in
            // Every resolver knows without a query that no such name exists.
            let url = "http://-x.invalid/file"
            let outcome = try await sandbox.ferry("get", url)
            outcome.expect(19)
            #expect(outcome.errors.contains("after 3 attempts. There is no host named -x.invalid"))
            #expect(outcome.errors.contains("`ferry edit 1 --url URL`"))
            try await sandbox.ferry("retry", "--detach", "1").expect(0)
            let outcomeOfRun = try await sandbox.ferry("run")
            outcomeOfRun.expect(19)
            #expect(outcomeOfRun.errors.contains("after 3 attempts"))
        }
    }

    @Test("an address that no server can have ends with 6 at once, without a wait for the network")
    func addressOfNoServer() async throws {
        try await Sandbox.open { sandbox in
            let outcome = try await sandbox.ferry("get", "http://255.255.255.255/file")
            outcome.expect(6)
            #expect(outcome.errors.contains("255.255.255.255 is a broadcast address"))
            #expect(try sandbox.fileNames() == [])
        }
    }

    @Test("a port without a listener ends with 6")
    func connectionRefused() async throws {
        try await Sandbox.open { sandbox in
            let port = try FreePort.find()
            let outcome = try await sandbox.ferry("get", "--retries", "0", "http://127.0.0.1:\(port)/file")
            outcome.expect(6)
            #expect(outcome.errors.contains("\(port)") || outcome.errors.contains("127.0.0.1"))
            #expect(try sandbox.fileNames() == [])
        }
    }

    @Test("while a port without a listener is tried again, a line says once how to end that")
    func connectionRefusedAgain() async throws {
        try await Sandbox.open { sandbox in
            let url = "http://127.0.0.1:\(try FreePort.find())/file"
            for (line, options) in [
                (["get", url], "`ferry get --retries N` or `--max-time SECONDS`"),
                (["resume", "1"], "`ferry edit 1 --retries N`"),
            ] {
                let process = try sandbox.launch(line)
                let advice = "\(options) ends it sooner."
                try await Deadline.wait(for: "a wait after the advice", said: { process.errorsSoFar }) {
                    let parts = process.errorsSoFar.components(separatedBy: advice)
                    return parts.count > 1 && parts[1].contains("to try again")
                }
                process.send(SIGINT)
                let outcome = try await process.outcome()
                outcome.expect(7)
                #expect(outcome.errors.components(separatedBy: advice).count == 2, "\(outcome.errors)")
            }
        }
    }
}
