import Crypto
import Foundation
import Glibc
import Synchronization
import Testing

/// `ferry put` of several files to one URL, and requests whose answers were lost.
@Suite("Repeated uploads and lost answers", .limitedParallelism)
struct RepeatedPutTests {
    private let old = Content(count: 3 * .mebibyte, seed: 31)
    private let new = Content(count: 2 * .mebibyte, seed: 32)

    private func write(_ content: Content, as name: String, in sandbox: Sandbox) throws {
        try Data(content.bytes).write(to: URL(fileURLWithPath: sandbox.path(of: name)))
    }

    /// A server that keeps the first request waiting and takes the others.
    private func withHoldingServer(
        _ body: (Sandbox, ScriptedServer, RequestInbox, Flag) async throws -> Void
    ) async throws {
        let (inbox, hasArrived) = (RequestInbox(), Flag())
        let server = try ScriptedServer { connection, request in
            guard let bytes = connection.readBody(of: request) else { return .closes }
            guard request.ordinal > 1 else {
                hasArrived.set()
                connection.hold()
                return .closes
            }
            inbox.take(request, bytes)
            return connection.write(ScriptedReply(status: 201), to: request) ? .stays : .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in try await body(sandbox, server, inbox, hasArrived) }
    }

    @Test("after Ctrl-C, the same command sends the same upload again, and no second one")
    func repeated() async throws {
        try await withHoldingServer { sandbox, server, inbox, hasArrived in
            try write(old, as: "a", in: sandbox)
            let put = try sandbox.launch(["put", "a", server.url("x")])
            try await Deadline.wait(for: "the file") { hasArrived.isSet }
            put.send(SIGINT)
            let stopped = try await put.outcome()
            stopped.expect(7)
            #expect(stopped.errors.contains("the same command"), "\(stopped.errors)")
            try await sandbox.ferry("put", "a", server.url("x")).expect(0)
            #expect(inbox.all.map(\.bytes) == [Array(old.bytes)])
            #expect(try await sandbox.transfers().map(\.state) == ["completed"])
        }
    }

    @Test("another file to a URL is refused while one is being sent, and replaces it once that was stopped")
    func overtaken() async throws {
        try await withHoldingServer { sandbox, server, inbox, hasArrived in
            try write(old, as: "a", in: sandbox)
            try write(new, as: "b", in: sandbox)
            let put = try sandbox.launch(["put", "a", server.url("x")])
            try await Deadline.wait(for: "the file") { hasArrived.isSet }
            let other = try await sandbox.ferry("put", "--no-wait", "b", server.url("x"))
            #expect(other.status != 0 && other.errors.contains("keeps that"), "\(other.errors)")
            put.send(SIGINT)
            try await put.outcome().expect(7)
            try await sandbox.ferry("put", "b", server.url("x")).expect(0)
            #expect(inbox.all.map(\.bytes) == [Array(new.bytes)])
        }
    }

    @Test("a condition that our own lost upload may have broken is refused with a word about it")
    func lostAnswer() async throws {
        try await RequestInbox.served({
            if $0.method == "HEAD" { return ScriptedReply(status: 404) }
            return $0.path.hasSuffix("x") && $0.ordinal == 2 ? nil : ScriptedReply(status: 412)
        }) {
            sandbox,
            server,
            _ in
            try write(old, as: "a", in: sandbox)
            let put = try await sandbox.ferry("put", "--no-clobber", "a", server.url("x"))
            put.expect(22)
            #expect(put.errors.contains("It may be this body"), "\(put.errors)")
            let first = try await sandbox.ferry("put", "--no-clobber", "a", server.url("y"))
            #expect(!first.errors.contains("may be"), "\(first.errors)")
        }
    }

    @Test(
        "Ctrl-C during a request that may not be sent twice says what is awaited; a second one leaves it unknown"
    )
    func awaited() async throws {
        try await withHoldingServer { sandbox, server, _, hasArrived in
            let post = try sandbox.launch([
                "send", "--wait", "--no-key", "POST", server.url("pay"), "--data", "5",
            ])
            try await Deadline.wait(for: "the request") { hasArrived.isSet }
            post.send(SIGINT)
            try await Deadline.wait(for: "the explanation") {
                post.errorsSoFar.contains("Waiting for the answer to POST")
            }
            // A signal that comes at once counts as the first one.
            try await Deadline.wait(for: "the end") {
                post.send(SIGINT)
                return post.hasEnded
            }
            try await sandbox.ferry("send", "POST", server.url("ship"), "--after", "1").expect(1)
            let listed = try await sandbox.ferry("list")
            #expect(listed.output.contains("outcome unknown"), "\(listed.output)")
            try await sandbox.ferry("resume", "1").expect(33)
        }
    }

    @Test("those that failed because an outcome was unknown are named when it is known, with what to type")
    func dependents() async throws {
        try await RequestInbox.served({
            $0.path == "/pay" && $0.ordinal == 1 ? nil : ScriptedReply(status: 201)
        }) {
            sandbox,
            server,
            inbox in
            try await sandbox.ferry("send", "--no-key", "POST", server.url("pay")).expect(0)
            try await sandbox.ferry("send", "--after", "1", "POST", server.url("pack")).expect(0)
            try await sandbox.ferry("send", "--after", "2", "POST", server.url("ship")).expect(0)
            try await sandbox.ferry("run").expect(33)
            let resolved = try await sandbox.ferry("resolve", "1", "--sent")
            resolved.expect(0)
            #expect(resolved.errors.contains("`ferry retry 2 3` runs them"), "\(resolved.errors)")
            try await sandbox.ferry("retry", "2", "3").expect(0)
            #expect(inbox.all.map(\.request.path) == ["/pay", "/pack", "/ship"])
        }
    }

    @Test("digests of the file go along")
    func digests() async throws {
        try await RequestInbox.served { sandbox, server, inbox in
            try write(old, as: "a", in: sandbox)
            try await sandbox.ferry(
                "put",
                "--content-digest",
                "sha-256",
                "--repr-digest",
                "sha-512",
                "--content-md5",
                "a",
                server.url("x")
            ).expect(0)
            let request = try #require(inbox.all.first).request
            let digest = Data(SHA256.hash(data: old.bytes)).base64EncodedString()
            #expect(request["content-digest"] == "sha-256=:\(digest):")
            #expect(
                request["repr-digest"]
                    == "sha-512=:\(Data(SHA512.hash(data: old.bytes)).base64EncodedString()):"
            )
            #expect(request["content-md5"] == Data(Insecure.MD5.hash(data: old.bytes)).base64EncodedString())
        }
    }
}
