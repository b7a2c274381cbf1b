import Foundation
import Testing

/// Servers of others that take requests and files.
@Suite("Receiving servers", .limitedParallelism)
struct ReceivingServerTests {
    private static let content = Content(count: 3 * .mebibyte + 17, seed: 91)

    private func write(_ content: Content, as name: String, in sandbox: Sandbox) throws {
        try content.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: name)))
    }

    /// Uploads files, among them one into a new directory if the server makes those.
    private func uploads(to kind: any ServerKind, makesDirectories: Bool = false) async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(kind, ServerOptions(takesFiles: true))
            let contents = [
                "one.bin": Self.content, "two b.bin": Content(count: 1, seed: 92), "empty": Content(""),
            ]
            for (name, content) in contents { try write(content, as: name, in: sandbox) }
            try await sandbox.launch(["put"] + contents.keys + [server.url("")]).outcome().expect(0)
            for (name, content) in contents {
                #expect(content.isWhole(at: "\(sandbox.site)/\(name)"), "\(name)")
            }
            // Again, and over another file.
            try write(Content("short"), as: "one.bin", in: sandbox)
            try await sandbox.ferry("put", "one.bin", server.url("one.bin")).expect(0)
            #expect(Content("short").isWhole(at: "\(sandbox.site)/one.bin"))
            guard makesDirectories else { return }
            try await sandbox.ferry("put", "one.bin", server.url("new/one.bin")).expect(0)
            #expect(Content("short").isWhole(at: "\(sandbox.site)/new/one.bin"))
        }
    }

    @Test("nginx takes uploads", .enabled(if: Tool.nginx.isInstalled, "nginx is not installed"))
    func nginx() async throws { try await uploads(to: Nginx(), makesDirectories: true) }

    @Test("rclone takes uploads", .enabled(if: Rclone().tool.isInstalled, "rclone is not installed"))
    func rclone() async throws { try await uploads(to: Rclone()) }

    @Test(
        "an upload to nginx that breaks off is sent again, whole",
        .enabled(if: Tool.nginx.isInstalled, "nginx is not installed")
    )
    func brokenOff() async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(Nginx(), ServerOptions(takesFiles: true))
            try await Relay.run(to: server, holdingAfter: [0]) { relay in
                try write(Self.content, as: "file.bin", in: sandbox)
                let put = try sandbox.launch(["put", "file.bin", relay.url("file.bin")])
                try await relay.holds()
                relay.breakOff()
                try await put.outcome().expect(0)
                #expect(Self.content.isWhole(at: "\(sandbox.site)/file.bin"))
            }
        }
    }

    @Test(
        "Flask reads the fields and files of a form",
        .enabled(if: Tool.flask.isInstalled, "Flask is not installed")
    )
    func form() async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(Flask())
            try write(Self.content, as: "my photo.jpg", in: sandbox)
            let sent = try await sandbox.ferry(
                "send",
                "--wait",
                "POST",
                server.url("form"),
                "--form",
                "title=A & B = \"ü\"",
                "--form",
                "photo=@my photo.jpg;type=image/jpeg"
            )
            sent.expect(0)
            let digest = try await sandbox.shell("sha256sum <'my photo.jpg'").output.prefix(64)
            struct Answer: Decodable, Equatable {
                var fields: [String: String]
                var files: [String: [String]]
            }
            let answer = try JSONDecoder().decode(Answer.self, from: Data(sent.output.utf8))
            let files = ["photo": ["my photo.jpg", "image/jpeg", String(digest)]]
            #expect(answer == Answer(fields: ["title": "A & B = \"ü\""], files: files))
        }
    }

    @Test(
        "a middleware for idempotency keys replays its answer when that was lost, and the order is placed once",
        .enabled(if: Tool.flask.isInstalled, "Flask is not installed")
    )
    func idempotencyKey() async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(Flask())
            try await Relay.run(to: server, holdingAfter: [0]) { relay in
                let line = ["send", "--wait", "POST", relay.url("orders"), "--data-json", #"{"item":17}"#]
                let send = try sandbox.launch(line)
                try await relay.holds()
                relay.breakOff()
                let sent = try await send.outcome()
                sent.expect(0)
                #expect(sent.output.contains(#""order":1"#), "\(sent.output)")
                #expect(try await RawHTTP.get("/orders", port: server.port).hasSuffix("\r\n\r\n1"))
            }
        }
    }

    @Test(
        "a middleware for idempotency keys refuses another body under a used key, and that is told",
        .enabled(if: Tool.flask.isInstalled, "Flask is not installed")
    )
    func usedKey() async throws {
        try await Sandbox.open { sandbox in
            let server = try await sandbox.start(Flask())
            for (item, status) in [(1, 0), (1, 0), (2, 22)] {
                let json = #"{"item":\#(item)}"#
                let line = [
                    "send", "--wait", "--key", "k", "POST", server.url("orders"), "--data-json", json,
                ]
                let sent = try await sandbox.launch(line).outcome()
                sent.expect(Int32(status))
                if status == 22 { #expect(sent.errors.contains("422"), "\(sent.errors)") }
            }
            #expect(try await RawHTTP.get("/orders", port: server.port).hasSuffix("\r\n\r\n1"))
        }
    }
}
