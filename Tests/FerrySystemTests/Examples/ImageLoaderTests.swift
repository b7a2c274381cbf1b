import Testing

/// The example of a list that scrolls faster than its pictures load.
@Suite("The image loader", .limitedParallelism)
struct ImageLoaderTests {
    static let picture = Content(count: 200_000, seed: 601)
    static let rows = (0..<4).map { "\($0).png" }

    /// A server that holds the first answers for pictures 0 and 1 until `gate` is open.
    private func withGallery(
        _ body: @escaping @Sendable (Sandbox, ScriptedServer, Gate) async throws -> Void
    ) async throws {
        let gate = Gate()
        defer { gate.open() }
        try await ScriptedServer.run { request in
            if request.path == "/pictures/list.txt" {
                return .serving(Content(Self.rows.joined(separator: "\n")), tag: "\"list\"", to: request)
            }
            var reply = ScriptedReply.serving(Self.picture, tag: "\"a\"", to: request)
            let isHeld =
                request.ordinal == 1 && ["/pictures/0.png", "/pictures/1.png"].contains(request.path)
            if isHeld { reply.gates = [(100_000, gate)] }
            return reply
        } _: { server in
            try await Sandbox.open { try await body($0, server, gate) }
        }
    }

    @Test(
        "the oldest picture yields to the newest with a message, and loads after scrolling back"
    )
    func theOldestGivesWay() async throws {
        try await withGallery { sandbox, server, gate in
            let typed = try TypedLines(in: sandbox)
            let loader = try sandbox.launchExample(
                "ImageLoader",
                [server.url("pictures/list.txt"), "--visible", "2"],
                input: typed
            )
            try await loader.says("4 pictures.")
            for row in 0...1 {
                typed.type("\(row)")
                try await Deadline.wait(for: "row \(row) to be asked for") {
                    server.requests.contains { $0.path == "/pictures/\(row).png" }
                }
            }
            typed.type("2")
            try await loader.says("Row 0: Transfer 1 was cancelled. It gave way to transfer 3")
            try await loader.says("Row 2: \(sandbox.path(of: "2.png")) (195.3 KiB)")
            // The half-loaded picture blocks no other one, and picture 1 is still visible.
            #expect(!loader.outputSoFar.contains("Row 1"))
            typed.type("0")
            try await loader.says("Row 0: \(sandbox.path(of: "0.png"))")
            gate.open()
            try await loader.says("Row 1: \(sandbox.path(of: "1.png"))")
            #expect(!loader.hasEnded)
            typed.end()
            try await loader.outcome().expect(0)
            #expect(try sandbox.fileNamesBesideStore() == ["0.png", "1.png", "2.png"])
            for row in 0...2 { #expect(Self.picture.isWhole(at: sandbox.path(of: "\(row).png"))) }
        }
    }

    @Test(
        "a loaded or loading picture is not loaded again, and an invalid row is ignored"
    )
    func nothingIsLoadedTwice() async throws {
        try await withGallery { sandbox, server, gate in
            let typed = try TypedLines(in: sandbox)
            for line in ["0", "x", "4", "-1", "0", "3"] { typed.type(line) }
            let loader = try sandbox.launchExample(
                "ImageLoader",
                [server.url("pictures/list.txt")],
                input: typed
            )
            try await loader.says("Row 3")
            typed.type("3")
            gate.open()
            typed.end()
            let outcome = try await loader.outcome()
            outcome.expect(0)
            #expect(outcome.output.ranges(of: "Row 0: \(sandbox.path(of: "0.png"))").count == 2)
            #expect(outcome.output.ranges(of: "Row 3: \(sandbox.path(of: "3.png"))").count == 2)
            #expect(
                server.requests.map(\.path).sorted() == [
                    "/pictures/0.png", "/pictures/3.png", "/pictures/list.txt",
                ]
            )
        }
    }
}
