import Foundation
import Glibc
import Testing

/// The example of a tree of conversations. `scripts/conversations` kills it at random moments, with a server of its own.
@Suite("Conversations", .limitedParallelism)
struct ConversationsTests {
    private static let items = ["c1": ["m1", "m2"], "c2": ["m3"]]
    private static let headers = ["m1/header", "m2/header", "m3/header"]
    private static let store = "inbox/ferry"

    // MARK: The server

    /// The version of an item, or of the items of a conversation.
    private static func version(of id: String, isLater: Bool) -> Int {
        isLater && ["m2", "c1"].contains(id) ? 2 : 1
    }

    private static func content(_ component: String, of item: String, isLater: Bool = false) -> Content {
        let version = version(of: item, isLater: isLater)
        let text = "The \(component) of \(item), version \(version), in clear"
        return switch component {
        case "header": Content(#"{"subject":"\#(text)"}"#)
        // Some chunks of a sealed file.
        case "data": Content(String(repeating: text + "\n", count: 8_000))
        default: Content(text)
        }
    }

    private static func list(_ ids: [String], tag: String, isLater: Bool) -> ScriptedReply {
        let entries = ids.map { id in
            let version = version(of: id, isLater: isLater)
            return #"{"id":"\#(id)","name":"\#(id)","etag":"\"\#(id)-\#(version)\""}"#
        }
        let text = #"{"etag":"\"\#(tag)\"","entries":[\#(entries.joined(separator: ","))]}"#
        return ScriptedReply(body: Array(text.utf8))
    }

    /// What the server answers.
    ///
    /// - Parameter isLater: whether it has a later version of the second item.
    private static func reply(to request: ScriptedRequest, isLater: Bool = false) -> ScriptedReply {
        let parts = request.path.split(separator: "/").map(String.init)
        switch (parts.first, parts.count) {
        case ("conversations", 1): return list(items.keys.sorted(), tag: "all", isLater: isLater)
        case ("conversations", 3):
            let tag = "\(parts[1])-\(version(of: parts[1], isLater: isLater))"
            return list(items[parts[1]] ?? [], tag: tag, isLater: isLater)
        case ("items", 3):
            let tag = "\"\(parts[1])-\(version(of: parts[1], isLater: isLater))\""
            return .serving(content(parts[2], of: parts[1], isLater: isLater), tag: tag, to: request)
        default: return ScriptedReply(status: 404)
        }
    }

    /// The components that were asked for, such as `m1/header`.
    private func asked(_ server: ScriptedServer) -> [String] {
        server.requests.map(\.path).filter { $0.hasPrefix("/items/") }.map { String($0.dropFirst(7)) }
    }

    /// Waits until these components were asked for.
    private func waits(
        for components: [String],
        at server: ScriptedServer,
        _ program: ChildProcess
    ) async throws {
        try await Deadline.wait(
            for: "\(components)",
            said: { program.outputSoFar + program.errorsSoFar },
            until: { asked(server).count >= components.count }
        )
        #expect(asked(server).sorted() == components.sorted())
    }

    // MARK: The program

    private func launch(
        _ sandbox: Sandbox,
        at server: String,
        input: String = "/dev/null"
    ) throws -> ChildProcess {
        try sandbox.launch(
            executable: Repository.built("Conversations"),
            ["inbox", server, "--identity", "key.txt", "--every", "1"],
            input: input
        )
    }

    private func launch(
        _ sandbox: Sandbox,
        at server: ScriptedServer,
        _ typed: TypedLines? = nil
    ) throws -> ChildProcess {
        try launch(sandbox, at: "http://127.0.0.1:\(server.port)", input: typed?.path ?? "/dev/null")
    }

    /// What it shows while its server cannot be reached.
    private func shownOffline(_ sandbox: Sandbox) async throws -> String {
        let lines = "\(sandbox.root)/show"
        try "show\n".write(toFile: lines, atomically: true, encoding: .utf8)
        let outcome = try await launch(sandbox, at: "http://127.0.0.1:1", input: lines).outcome()
        outcome.expect(0)
        #expect(outcome.output.contains("Showing what is here."), "\(outcome)")
        return outcome.output
    }

    /// Expects that a component is there, sealed, with these bytes.
    private func expect(_ content: Content, sealedAs name: String, in sandbox: Sandbox) async throws {
        try await sandbox.shell("ferry cat inbox/items/\(name).age -i key.txt > clear").expect(0)
        #expect(content.isWhole(at: sandbox.path(of: "clear")), "\(name)")
    }

    private func expectNothingInClear(_ sandbox: Sandbox) throws {
        let inbox = sandbox.path(of: "inbox")
        for path in try FileManager.default.subpathsOfDirectory(atPath: inbox) {
            let bytes = FileManager.default.contents(atPath: "\(inbox)/\(path)") ?? Data()
            #expect(bytes.firstRange(of: Data("in clear".utf8)) == nil, "\(path)")
        }
    }

    // MARK: Tests

    @Test("it fetches headers, thumbnails of what is seen and data of what is opened, and shows them offline")
    func fetchesWhatIsAskedFor() async throws {
        try await ScriptedServer.run {
            Self.reply(to: $0)
        } _: { sandbox, server in
            let typed = try TypedLines(in: sandbox)
            let program = try launch(sandbox, at: server, typed)
            var expected = Self.headers
            try await waits(for: expected, at: server, program)
            typed.type("see c1")
            expected += ["m1/thumbnail", "m2/thumbnail"]
            try await waits(for: expected, at: server, program)
            typed.type("open m1")
            expected += ["m1/data"]
            try await waits(for: expected, at: server, program)
            typed.end()
            try await program.outcome().expect(0)
            #expect(asked(server).sorted() == expected.sorted())

            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path(of: "inbox/items"))
            let sealed = expected.map { $0.replacingOccurrences(of: "/", with: ".") + ".age" }
            #expect(names.sorted() == sealed.sorted())
            try expectNothingInClear(sandbox)
            try await expect(Self.content("data", of: "m1"), sealedAs: "m1.data", in: sandbox)

            let shown = try await shownOffline(sandbox)
            for item in ["m1", "m2", "m3"] {
                #expect(shown.contains("\(item): \(item) | The header of \(item), version 1"), "\(shown)")
            }
            #expect(shown.contains("data of \(Self.content("data", of: "m1").count) bytes"), "\(shown)")
        }
    }

    @Test("after a kill it resumes what it was fetching, and fetches nothing again that is here")
    func survivesKill() async throws {
        let chunk = 65_536
        try await ScriptedServer.run { request in
            var reply = Self.reply(to: request)
            if request.path == "/items/m1/data", request.ordinal == 1 {
                reply.cut = .init(bytes: 3 * chunk + 1_000, then: .stall)
            }
            return reply
        } _: { sandbox, server in
            let typed = try TypedLines(in: sandbox)
            let program = try launch(sandbox, at: server, typed)
            try await waits(for: Self.headers, at: server, program)
            // A file that has its name is not fetched again.
            try await Deadline.wait(for: "the headers to be saved") {
                ["m1", "m2", "m3"].allSatisfy { item in
                    FileManager.default.fileExists(atPath: sandbox.path(of: "inbox/items/\(item).header.age"))
                }
            }
            typed.type("open m1")
            try await sandbox.exampleRecords(2 * chunk, in: Self.store)
            program.send(SIGKILL)
            #expect(try await program.outcome().exit == .signal(SIGKILL))
            typed.end()
            try expectNothingInClear(sandbox)

            try await launch(sandbox, at: server).outcome().expect(0)
            let starts = server.requests.filter { $0.path == "/items/m1/data" }.map { $0.rangeStart ?? 0 }
            let resumed = try #require(starts.last)
            #expect(starts.count == 2 && resumed >= 2 * chunk && resumed.isMultiple(of: chunk), "\(starts)")
            #expect(asked(server).filter { $0 != "m1/data" }.sorted() == Self.headers)
            try await expect(Self.content("data", of: "m1"), sealedAs: "m1.data", in: sandbox)
            try expectNothingInClear(sandbox)
        }
    }

    @Test("a version that comes while it runs is fetched, and nothing else is fetched again")
    func takesNewVersions() async throws {
        let isLater = Flag()
        try await ScriptedServer.run {
            Self.reply(to: $0, isLater: isLater.isSet)
        } _: { sandbox, server in
            let typed = try TypedLines(in: sandbox)
            let program = try launch(sandbox, at: server, typed)
            try await waits(for: Self.headers, at: server, program)
            isLater.set()
            let expected = Self.headers + ["m2/header"]
            try await waits(for: expected, at: server, program)
            typed.end()
            try await program.outcome().expect(0)
            #expect(asked(server).sorted() == expected.sorted())
            let shown = try await shownOffline(sandbox)
            #expect(shown.contains("m2: m2 | The header of m2, version 2"), "\(shown)")
            #expect(shown.contains("m1: m1 | The header of m1, version 1"), "\(shown)")
        }
    }
}
