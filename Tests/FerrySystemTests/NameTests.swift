import Testing

/// The names that files come to have.
@Suite("Names", .berths)
struct NameTests {
    private func expectName(_ name: String, from path: String, fields: [(String, String)] = []) async throws {
        let content = Content(count: 5000, seed: 91)
        try await ScriptedServer.run { request in
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            reply.fields += fields.map { (name: $0.0, value: $0.1) }
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", server.url(path)).expect(0)
                try harbour.expectOnly(name, content)
            }
        }
    }

    @Test("the last segment of the URL's path, decoded, without its query")
    func fromURL() async throws {
        try await expectName("a file.bin", from: "some/path/a%20file.bin?token=1#part")
    }

    @Test("a Unicode name")
    func unicode() async throws {
        try await expectName(
            "größe-日本語-🚢.txt",
            from: "gr%C3%B6%C3%9Fe-%E6%97%A5%E6%9C%AC%E8%AA%9E-%F0%9F%9A%A2.txt"
        )
    }

    @Test("a name of 255 bytes, which has no room for .part behind it")
    func longest() async throws {
        let name = String(repeating: "n", count: 251) + ".bin"
        try await expectName(name, from: name)
    }

    @Test("a longer name is shortened before its extension")
    func tooLong() async throws {
        try await expectName(
            String(repeating: "n", count: 251) + ".bin",
            from: String(repeating: "n", count: 400) + ".bin"
        )
    }

    @Test("a path without a last segment")
    func noName() async throws {
        try await expectName("index.html", from: "")
    }

    @Test("the name that the server proposes, in its encoded form when it has one")
    func contentDisposition() async throws {
        try await expectName(
            "ü.txt",
            from: "download?id=1",
            fields: [("Content-Disposition", "attachment; filename=\"u.txt\"; filename*=UTF-8''%C3%BC.txt")]
        )
    }

    @Test("a redirect's target does not choose the name")
    func redirected() async throws {
        let content = Content(count: 5000, seed: 92)
        try await ScriptedServer.run { request in
            guard request.path == "/wanted.bin" else { return .serving(content, tag: "\"a\"", to: request) }
            return ScriptedReply(status: 302, fields: [("Location", "/.bashrc")])
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", server.url("wanted.bin")).expect(0)
                try harbour.expectOnly("wanted.bin", content)
            }
        }
    }
}
