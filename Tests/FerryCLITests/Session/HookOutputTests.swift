import Testing

@testable import FerryCLI

@Suite("What a command for an ended transfer prints", .timeLimit(.minutes(10)))
struct HookOutputTests {
    @Test(
        "is kept also if the command fails",
        arguments: [
            ("cat", nil), ("cat; exit 3", .failed(status: 3)), ("cat; kill -9 $$", .killed(signal: 9)),
        ] as [(String, ShellCommand.Failure?)]
    )
    func output(line: String, failure: ShellCommand.Failure?) async throws {
        let command = ShellCommand(line: line, input: Array("hello\n".utf8))
        let ending = try await command.beginningOfOutput()
        #expect(String(decoding: ending.output, as: UTF8.self) == "hello\n")
        #expect(ending.failure == failure)
    }

    @Test("is the beginning of a long output")
    func beginning() async throws {
        let ending = try await ShellCommand(line: "yes | head -c 100000; false").beginningOfOutput()
        #expect(ending.output.count == ShellCommand.longestOutput)
        #expect(ending.failure == .failed(status: 1))
    }
}
