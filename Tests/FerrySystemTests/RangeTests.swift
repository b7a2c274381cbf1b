import Foundation
import Testing

/// `ferry get --range`: a part of a file.
@Suite("Parts of files", .limitedParallelism)
struct RangeTests {
    private static let content = Content(count: 9_000, seed: 91)

    /// A server that knows every form of a range, and cuts the first answer of a path with `cut` in it.
    private static func answer(_ request: ScriptedRequest) -> ScriptedReply {
        let body = Array(content.bytes)
        guard let text = request["range"]?.dropFirst("bytes=".count), !request.path.contains("whole") else {
            return ScriptedReply(fields: [("ETag", "\"a\"")], body: body)
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let first = ends[0] ?? max(0, body.count - (ends[1] ?? 0))
        let last = ends[0] == nil ? body.count - 1 : min(ends[1] ?? body.count, body.count - 1)
        guard first < body.count else {
            return ScriptedReply(status: 416, fields: [("Content-Range", "bytes */\(body.count)")])
        }
        var reply = ScriptedReply(
            status: 206,
            fields: [("ETag", "\"a\""), ("Content-Range", "bytes \(first)-\(last)/\(body.count)")],
            body: Array(body[first...last])
        )
        if request.path.contains("cut"), request.ordinal == 1 { reply.cut = .init(bytes: 600, then: .hangUp) }
        return reply
    }

    private func served(_ body: (Sandbox, ScriptedServer) async throws -> Void) async throws {
        try await ScriptedServer.run(with: body, answering: Self.answer)
    }

    @Test(
        "each form fetches these bytes and no others, also over an interruption",
        arguments: [
            ("1000-2999", 1_000..<3_000), ("7000-", 7_000..<9_000), ("-2000", 7_000..<9_000),
            ("0-99999", 0..<9_000),
        ],
        ["file.bin", "cut.bin"]
    )
    func part(range: (String, Range<Int>), name: String) async throws {
        try await served { sandbox, server in
            if name == "cut.bin" {
                let line = ["get", "--retries", "0", "--range", range.0, server.url(name)]
                try await sandbox.launch(line).outcome().expect(6)
            }
            try await sandbox.ferry("get", "--range", range.0, server.url(name)).expect(0)
            let found = FileManager.default.contents(atPath: sandbox.path(of: name))
            #expect(found == Self.content.bytes.subdata(in: range.1))
            if name == "cut.bin" { #expect(server.requests.last?.rangeStart == range.1.lowerBound + 600) }
        }
    }

    @Test("a part is never taken for the whole, nor the whole for a part")
    func ownIdentity() async throws {
        try await served { sandbox, server in
            let url = server.url("file.bin")
            try await sandbox.ferry("get", "--range", "0-99", url).expect(0)
            try await sandbox.ferry("get", url).expect(13)
            try await sandbox.ferry("get", "--range", "0-199", url).expect(13)
            try await sandbox.ferry("get", "--range", "0-99", url).expect(0)
            try await sandbox.ferry("get", "--overwrite", url).expect(0)
            #expect(FileManager.default.contents(atPath: sandbox.path(of: "file.bin")) == Self.content.bytes)
            try await sandbox.ferry("get", "-o", "end", "--range", "-10", url).expect(0)
            #expect(
                FileManager.default.contents(atPath: sandbox.path(of: "end")) == Self.content.bytes.suffix(10)
            )
        }
    }

    @Test("a server that sends no parts, and a range behind the end, are refused with a sentence")
    func refused() async throws {
        try await served { sandbox, server in
            let whole = try await sandbox.ferry("get", "--range", "0-99", server.url("whole.bin"))
            whole.expect(8)
            #expect(whole.errors.contains("sends only the whole file"), "\(whole)")
            let behind = try await sandbox.ferry("get", "--range", "9000-", server.url("file.bin"))
            behind.expect(8)
            #expect(behind.errors.contains("has 9000 bytes"), "\(behind)")
            #expect(try sandbox.fileNames().isEmpty)
            try await sandbox.ferry("get", "--range", "9-1", server.url("file.bin")).expect(64)
        }
    }
}
