import Ferry
import Foundation
import Testing

/// The README's example of the library is the body of a function here, line by line, so that it compiles.
struct ReadmeSampleTests {
    private static func sample() async throws {
        // The example begins here.
        let engine = try await TransferEngine.open(EngineConfiguration(dataDirectory: "/var/lib/app/ferry"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }

            // Durable when this returns; it goes on after a crash, in whichever process runs the engine next.
            let download = try await engine.download(
                from: HTTPURL(parsing: "https://example.org/big.iso"),
                to: .file(directory: "/srv/images", name: nil)
            )

            let file = try await download.value()
            print(file.path ?? "", file.length)
            engine.stop()
        }
        await engine.close()
        // The example ends here.
    }

    private static func lines(of text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    @Test func theReadmesExampleIsTheOneThatCompilesHere() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let block = try #require(
            readme.split(separator: "```swift").dropFirst().first?.split(separator: "```").first
        )
        let here = Self.lines(of: try String(contentsOfFile: #filePath, encoding: .utf8))
        let begin = try #require(here.firstIndex(of: "// The example begins here."))
        let end = try #require(here.firstIndex(of: "// The example ends here."))
        #expect(["import Ferry"] + here[(begin + 1)..<end] == Self.lines(of: block))
    }
}
