import Crypto
import Foundation
import Synchronization
import Testing

/// Directories that are uploaded once more, by the real binary.
@Suite("Uploads of files that were not changed", .limitedParallelism)
struct UnchangedFilesTests {
    /// A server that keeps what it is sent, and counts requests by their method.
    private final class Keeper: Sendable {
        private let kept = Mutex<[String: [UInt8]]>([:])
        private let counts = Mutex<[String: Int]>([:])

        /// The number of requests since the last call.
        func take() -> [String: Int] {
            counts.withLock { counts in
                defer { counts = [:] }
                return counts
            }
        }

        func lose(_ path: String) { kept.withLock { $0[path] = nil } }

        func answer(_ request: ScriptedRequest, _ body: [UInt8]) -> ScriptedReply {
            counts.withLock { $0[request.method, default: 0] += 1 }
            return kept.withLock { kept in
                if request.method == "PUT" { kept[request.path] = body }
                guard let bytes = kept[request.path] else { return ScriptedReply(status: 404) }
                let tag = Data(Insecure.MD5.hash(data: bytes)).base64EncodedString()
                let isHead = request.method == "HEAD"
                return ScriptedReply(fields: [("ETag", "\"\(tag)\"")], body: isHead ? bytes : [])
            }
        }
    }

    private func withKeeper(_ body: (Sandbox, ScriptedServer, Keeper) async throws -> Void) async throws {
        let keeper = Keeper()
        let server = try ScriptedServer { connection, request in
            guard let body = connection.askForBody(of: request) else { return .closes }
            return connection.write(keeper.answer(request, body), to: request) ? .stays : .closes
        }
        defer { server.stop() }
        try await Sandbox.open { sandbox in
            try sandbox.writeKeys()
            try await body(sandbox, server, keeper)
        }
    }

    /// Writes a directory of files.
    private func tree(_ count: Int, in sandbox: Sandbox) throws -> String {
        let tree = sandbox.path(of: "tree")
        try FileManager.default.createDirectory(atPath: tree, withIntermediateDirectories: true)
        for number in 0..<count {
            try "file \(number)".write(toFile: "\(tree)/\(number)", atomically: true, encoding: .utf8)
        }
        return tree
    }

    @Test(
        "a directory that is put again sends what was changed, and what the server has lost",
        arguments: [true, false]
    )
    func directory(isStore: Bool) async throws {
        try await withKeeper { sandbox, server, keeper in
            let count = 300
            let tree = try tree(count, in: sandbox)
            let place =
                isStore
                ? ["s3://bucket/up/", "--endpoint", "http://127.0.0.1:\(server.port)"]
                : [server.url("bucket/up/")]
            let words = ["put", "-r", tree] + place
            try await sandbox.launch(words).outcome().expect(0)
            #expect(keeper.take() == ["PUT": count])
            let again = try await sandbox.launch(words).outcome()
            again.expect(0)
            #expect(again.errors.contains("Up to date: "), "\(again.errors)")
            let summary = "\(count) completed (\(count) up to date), 0 B."
            #expect(again.errors.contains(summary), "\(again.errors)")
            #expect(keeper.take() == ["HEAD": count])
            try "other".write(toFile: tree + "/7", atomically: false, encoding: .utf8)
            keeper.lose("/bucket/up/8")
            try await sandbox.launch(words).outcome().expect(0)
            #expect(keeper.take() == ["HEAD": count - 1, "PUT": 2])
            try await sandbox.launch(words).outcome().expect(0)
            #expect(keeper.take() == ["HEAD": count])
            try await sandbox.launch(words + ["--overwrite"]).outcome().expect(0)
            #expect(keeper.take() == ["PUT": count])
        }
    }
}
