import Testing

/// Redirects, as far as they lead.
@Suite("Redirects", .berths)
struct RedirectTests {
    /// `/N` leads to `/N-1`, and `/0` is the file.
    private func hop(_ request: ScriptedRequest, _ content: Content) -> ScriptedReply {
        guard let number = Int(request.path.dropFirst()), number > 0 else {
            return .serving(content, tag: "\"a\"", to: request)
        }
        return ScriptedReply(
            status: [301, 302, 303, 307, 308][number % 5],
            fields: [("Location", "/\(number - 1)")]
        )
    }

    @Test("twenty redirects are followed")
    func twenty() async throws {
        let content = Content(count: 5000, seed: 101)
        try await ScriptedServer.run {
            hop($0, content)
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "-o", "file", server.url("20")).expect(0)
                try harbour.expectOnly("file", content)
            }
        }
    }

    @Test("the twenty-first is not, and the status is 23")
    func twentyOne() async throws {
        try await ScriptedServer.run {
            hop($0, Content("x"))
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "-o", "file", server.url("21")).expect(23)
                #expect(server.requests.count == 21)
                #expect(try harbour.ashore() == [])
            }
        }
    }

    @Test("a circle of redirects ends with 23")
    func circle() async throws {
        try await ScriptedServer.run { request in
            ScriptedReply(status: 302, fields: [("Location", request.path == "/a" ? "/b" : "/a")])
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "-o", "file", server.url("a")).expect(23)
            }
        }
    }

    @Test("a redirect to a file of this machine is not followed")
    func toFile() async throws {
        try await ScriptedServer.run { _ in
            ScriptedReply(status: 302, fields: [("Location", "file:///etc/passwd")])
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "-o", "file", server.url("a")).expect(22)
                #expect(try harbour.ashore() == [])
            }
        }
    }

    @Test("a redirect to another origin takes no secret along, and one within the origin does")
    func secretsStay() async throws {
        let content = Content(count: 5000, seed: 102)
        try await ScriptedServer.run {
            .serving(content, tag: "\"a\"", to: $0)
        } _: { other in
            let elsewhere = other.url("file")
            try await ScriptedServer.run { request in
                ScriptedReply(status: 302, fields: [("Location", request.path == "/a" ? "/b" : elsewhere)])
            } _: { server in
                try await Harbour.open { harbour in
                    try await harbour.ferry(
                        "get",
                        "-o",
                        "file",
                        "--user",
                        "anna:secret",
                        "-H",
                        "Cookie: session=1",
                        server.url("a")
                    ).expect(0)
                    #expect(
                        server.requests.map { $0["authorization"] }
                            == Array(repeating: "Basic YW5uYTpzZWNyZXQ=", count: 2)
                    )
                    #expect(other.requests.allSatisfy { $0["authorization"] == nil && $0["cookie"] == nil })
                    #expect(other.requests.count == 1)
                }
            }
        }
    }

    @Test("an interrupted download goes on through its redirect")
    func resumesThroughRedirect() async throws {
        let content = Content(count: 900_000, seed: 103)
        try await ScriptedServer.run { request in
            if request.path == "/1" { return ScriptedReply(status: 302, fields: [("Location", "/0")]) }
            var reply = ScriptedReply.serving(content, tag: "\"a\"", to: request)
            if request.ordinal == 1 { reply.cut = .init(bytes: 400_000, then: .hangUp) }
            return reply
        } _: { server in
            try await Harbour.open { harbour in
                try await harbour.ferry("get", "-o", "file", server.url("1")).expect(0)
                try harbour.expectOnly("file", content)
                #expect(server.requests.last?.rangeStart == 400_000)
            }
        }
    }
}
