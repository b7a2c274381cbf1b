import Foundation
import Synchronization
import Testing

/// `ferry mirror` that is killed or interrupted.
@Suite("Stopped mirrors", .limitedParallelism)
struct MirrorKillTests {
    /// How many directories are asked for at once.
    private static let width = 4

    private static let files: [String: Data] = {
        var files: [String: Data] = ["top.txt": Data("top".utf8)]
        for folder in 0..<12 {
            for file in 0..<3 {
                let path = "d\(folder % 4)/e\(folder)/\(file).bin"
                files[path] = Content(count: 2_000 + file, seed: UInt64(folder * 3 + file + 1)).bytes
            }
        }
        return files
    }()

    private func isListing(_ path: String) -> Bool { path.isEmpty || path.hasSuffix("/") }

    @Test(
        "killed again and again, it lists no directory twice that it has noted, and fetches no complete file again"
    )
    func killed() async throws {
        let site = ListedSite(Self.files)
        try await ScriptedServer.run(answering: site.answer) { sandbox, server in
            let mirror = ["mirror", "-j", "2", server.url(""), sandbox.copy]
            var (listings, kills): ([String: Int], Int) = ([:], 0)
            var outcome: Outcome
            repeat {
                let complete = try sandbox.copiedFiles().filter { Self.files[$0.key] == $0.value }
                let process = try site.launch({ try sandbox.launch(mirror) }, killedAt: 6 + kills % 3)
                outcome = try await process.outcome()
                for path in site.asked where isListing(path) { listings[path, default: 0] += 1 }
                let again = site.asked.filter { complete[$0] != nil }
                #expect(again.isEmpty, "complete files were asked for: \(again)")
                kills += outcome.exit == .signal(SIGKILL) ? 1 : 0
            } while outcome.exit == .signal(SIGKILL) && kills < 60
            outcome.expect(0)
            #expect(kills > 5)
            #expect(try sandbox.copiedFiles() == Self.files)
            // A killed process had asked for some directories whose answers it could not note.
            let repeated = listings.values.reduce(0) { $0 + $1 - 1 }
            #expect(listings.count == 17, "\(listings)")
            #expect(repeated <= kills * Self.width, "\(listings)")
            let summary = try await sandbox.launch(mirror + ["--json"]).outcome()
            #expect(try summary.summary("unchanged") == Self.files.count, "\(summary)")
        }
    }

    @Test("killed while it downloads, it does not list again, and what was complete counts as unchanged")
    func killedWhileDownloading() async throws {
        let site = ListedSite(Self.files)
        try await ScriptedServer.run(answering: site.answer) { sandbox, server in
            let mirror = ["mirror", "--json", "-j", "1", server.url(""), sandbox.copy]
            // 17 directories, a PROPFIND, and some files.
            let process = try site.launch({ try sandbox.launch(mirror) }, killedAt: 30)
            #expect(try await process.outcome().exit == .signal(SIGKILL))
            let complete = try sandbox.copiedFiles().filter { Self.files[$0.key] == $0.value }
            #expect(complete.count > 2 && complete.count < Self.files.count)
            let second = try await site.launch({ try sandbox.launch(mirror) }, killedAt: 0).outcome()
            second.expect(0)
            #expect(!site.asked.contains { isListing($0) }, "\(site.asked)")
            #expect(Set(site.asked).isDisjoint(with: complete.keys), "\(site.asked)")
            let (new, unchanged) = (try second.summary("new"), try second.summary("unchanged"))
            // The end of the latest one may not have been recorded before the kill.
            #expect((complete.count - 1...complete.count).contains(unchanged), "\(second)")
            #expect(new == Self.files.count - unchanged, "\(second)")
            #expect(try sandbox.copiedFiles() == Self.files)
        }
    }

    @Test("Ctrl-C while it lists ends with 7, and the same command resumes")
    func interrupted() async throws {
        let site = ListedSite(Self.files)
        let (gate, isReached) = (Gate(), Flag())
        try await ScriptedServer.run { request in
            if request.path == "/d1/" {
                isReached.set()
                gate.pass()
            }
            return site.answer(request)
        } _: { sandbox, server in
            let mirror = ["mirror", server.url(""), sandbox.copy]
            let process = try site.launch({ try sandbox.launch(mirror) }, killedAt: 0)
            try await Deadline.wait(for: "a listing that waits") { isReached.isSet }
            process.send(SIGINT)
            let outcome = try await process.outcome()
            gate.open()
            outcome.expect(7)
            #expect(outcome.errors.contains("Repeat the command to resume"), "\(outcome)")
            let again = try await site.launch({ try sandbox.launch(mirror) }, killedAt: 0).outcome()
            again.expect(0)
            #expect(!site.asked.contains(""), "the top was listed")
            #expect(try sandbox.copiedFiles() == Self.files)
        }
    }

    @Test("Ctrl-C while it downloads ends with 7, and the same command downloads the rest without listing")
    func interruptedWhileDownloading() async throws {
        let site = ListedSite(Self.files)
        let (gate, isReached) = (Gate(), Flag())
        try await ScriptedServer.run { request in
            if request.path == "/d2/e6/1.bin" {
                isReached.set()
                gate.pass()
            }
            return site.answer(request)
        } _: { sandbox, server in
            let mirror = ["mirror", "--json", "-j", "2", server.url(""), sandbox.copy]
            let process = try site.launch({ try sandbox.launch(mirror) }, killedAt: 0)
            try await Deadline.wait(for: "a file that waits", said: { sandbox.saidSoFar }) {
                isReached.isSet
            }
            process.send(SIGINT)
            let outcome = try await process.outcome()
            gate.open()
            outcome.expect(7)
            #expect(try outcome.summary("exitStatus") == 7)
            let complete = try sandbox.copiedFiles().filter { Self.files[$0.key] == $0.value }
            let rest = Self.files.count - complete.count
            #expect(rest > 0 && !complete.isEmpty)
            let trial = try await site.launch({ try sandbox.launch(mirror + ["--dry-run"]) }, killedAt: 0)
                .outcome()
            let expected = [try trial.summary("new"), try trial.summary("unchanged")]
            #expect(expected == [rest, complete.count], "\(trial)")
            let again = try await site.launch({ try sandbox.launch(mirror) }, killedAt: 0).outcome()
            again.expect(0)
            #expect(!site.asked.contains(where: isListing), "\(site.asked)")
            #expect(Set(site.asked).isDisjoint(with: complete.keys), "\(site.asked)")
            let counted = [try again.summary("new"), try again.summary("unchanged")]
            #expect(counted == expected, "\(again)")
            #expect(try sandbox.copiedFiles() == Self.files)
        }
    }

    @Test(
        "directories are synced before the store relies on what was made in them or removed",
        .enabled(if: FaultInjection.isAllowed, "processes cannot be traced here")
    )
    func synchronizesDirectories() async throws {
        let isGone = Flag()
        try await ScriptedServer.run { request in
            guard request.path == "/list.json" else {
                return ScriptedReply(fields: [("ETag", "\"x\"")], body: Array("bytes".utf8))
            }
            let names = isGone.isSet ? ["t/b.bin"] : ["s/a.bin", "t/b.bin"]
            let files = names.map { #"{"name": "\#($0)", "etag": "\"x\""}"# }
            return ScriptedReply(body: Array("[\(files.joined(separator: ", "))]".utf8))
        } _: { sandbox, server in
            let mirror = ["mirror", "--delete", server.url("list.json"), sandbox.copy]
            let (first, made) = try sandbox.launch(mirror, injecting: FaultInjection())
            try await first.outcome().expect(0)
            var calls = made.calls
            let folder = try #require(calls.firstIndex(of: "mkdirat \(sandbox.copy)/s"))
            let sync = try #require(calls[folder...].firstIndex(of: "fsync \(sandbox.copy)"))
            let file = try #require(calls.firstIndex { $0.contains(" \(sandbox.copy)/s/") })
            #expect(sync < file)

            isGone.set()
            let (second, removed) = try sandbox.launch(mirror, injecting: FaultInjection())
            try await second.outcome().expect(0)
            calls = removed.calls
            let removal = try #require(calls.firstIndex(of: "unlinkat \(sandbox.copy)/s/a.bin"))
            let later = calls[removal...]
            #expect(later.contains("fsync \(sandbox.copy)/s"), "\(later.prefix(20))")
            let last = try #require(calls.lastIndex(of: "unlinkat \(sandbox.copy)/s"))
            #expect(calls[last...].contains("fsync \(sandbox.copy)"), "\(calls[last...])")
        }
    }

    @Test("a source that is watched is read again, until Ctrl-C")
    func watched() async throws {
        try await Sandbox.open { sandbox in
            try sandbox.publish(Content("one"), at: "one.txt")
            let server = try await sandbox.start(Nginx(), ServerOptions(listsDirectories: true))
            let process = try sandbox.launch(["mirror", "--watch", "1s", server.url(""), sandbox.copy])
            try await Deadline.wait(for: "the first file", said: { sandbox.saidSoFar }) {
                try sandbox.copiedFiles().count == 1
            }
            try sandbox.publish(Content("two"), at: "two.txt")
            try await Deadline.wait(for: "the second file", said: { sandbox.saidSoFar }) {
                try sandbox.copiedFiles().count == 2
            }
            // Both passes have ended.
            try await Deadline.wait(for: "a pass without changes", said: { sandbox.saidSoFar }) {
                process.errorsSoFar.contains("0 new, 0 changed, 0 gone, 2 unchanged")
            }
            process.send(SIGINT)
            let outcome = try await process.outcome()
            #expect([.status(0), .status(7)].contains(outcome.exit), "\(outcome)")
        }
    }
}
