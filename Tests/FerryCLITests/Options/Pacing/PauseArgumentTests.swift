import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What `--wait` takes, and which commands take it.
@Suite struct PauseArgumentTests {
    private func pause(_ text: String) throws -> Duration {
        let run = try RunCommand.parse(["--wait", text])
        return try EngineTerms(run.jobs.input, limitRate: nil, Settings()).pause
    }

    @Test(arguments: [
        ("1", Int64(1000)), ("2.5", 2500), ("0.001", 1), ("90s", 90_000), ("1m30s", 90_000),
        ("1d", 86_400_000),
    ])
    func takesSecondsAndUnits(text: String, milliseconds: Int64) throws {
        #expect(try pause(text) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "0", "0s", "-1", "1.5m", "30s1m", "999999999d", "https://example.org/x", "soon"])
    func refusesOtherTexts(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try pause(text) }
        #expect(failure?.status == .usage && failure?.message.contains("--wait") == true)
    }

    @Test func everyCommandThatRunsTransfersGivesItToItsEngine() throws {
        let url = "https://example.org/x"
        let all = [
            try GetCommand.parse([url, "--wait", "2"]).jobs,
            try ResumeCommand.parse(["1", "--wait", "2"]).jobs,
            try RetryCommand.parse(["1", "--wait", "2"]).jobs,
            try MirrorCommand.parse([url, "/d", "--wait", "2"]).jobs,
        ]
        for jobs in all {
            let terms = try EngineTerms(jobs.input, limitRate: nil, Settings())
            var configuration = EngineConfiguration(dataDirectory: "/unused")
            terms.apply(to: &configuration)
            #expect(configuration.pauseBetweenAttempts == .seconds(2))
        }
    }

    @Test func withoutItThereIsNoPause() throws {
        let run = try RunCommand.parse([])
        #expect(try EngineTerms(run.jobs.input, limitRate: nil, Settings()).pause == .zero)
    }
}
