import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// However a transfer ends in failure, its user is told what to type next and what is kept.
@Suite("What a final failure says")
struct ConclusionTests {
    private static let now = Instant(seconds: 1_700_000_000)

    /// The failure that a transfer ends with when its only attempt meets `problem`.
    private func ending(
        with problem: Problem,
        retries: Int = 0,
        received: Int64 = 0,
        to destination: Destination = .file(directory: "/d", name: nil)
    ) throws -> TransferFailure {
        var specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: destination
        )
        specification.options.retries = retries
        var transfer = Transfer(
            id: TransferID(rawValue: 42),
            adding: NewTransfer(specification),
            at: Self.now
        )
        transfer.attempts = retries + 1
        transfer.ledger.bestReceived = received
        var checkpoint = transfer.checkpoint
        checkpoint.segments.advance(0, writtenTo: received)
        var random = SeededRandom(seed: 4)
        let settlement = Settlement(
            of: transfer,
            after: .failed(problem),
            checkpoint: checkpoint,
            keepsHold: false,
            at: Self.now,
            using: &random
        )
        guard case .failed(let failure) = settlement.state else {
            Issue.record("\(problem) is not the end")
            return problem.failure
        }
        return failure
    }

    private func expectAdvice(_ failure: TransferFailure, kept: Bool) throws {
        let hint = try #require(failure.hint, "\(failure.code) says nothing")
        #expect(hint.contains("`ferry "), "\(failure.code) names no command: \(hint)")
        #expect(!hint.contains("{id}"), "\(failure.code) names no transfer: \(hint)")
        #expect(hint.contains("3.0 MiB received are kept") == kept, "\(failure.code): \(hint)")
    }

    @Test("every code names the next command, and what is kept", arguments: TransferFailure.Code.allCases)
    func everyFinalFailureNamesALineToType(_ code: TransferFailure.Code) throws {
        for problem in [Problem.permanent(code, "It is so."), .transient(code, "It is so.")] {
            for retries in [0, 3] where retries == 0 || problem.disposition != .permanent {
                let without = try ending(with: problem, retries: retries)
                try expectAdvice(without, kept: false)
                let with = try ending(with: problem, retries: retries, received: 3 << 20)
                // Who has lost the part file has nothing.
                try expectAdvice(with, kept: code != .partFileLost)
                let stream = try ending(
                    with: problem,
                    retries: retries,
                    received: 3 << 20,
                    to: .standardOutput
                )
                try expectAdvice(stream, kept: false)
                // Another process has another standard output.
                #expect(stream.hint?.contains("ferry retry") == false)
            }
        }
    }

    @Test("a hint without a command gets one, and a hint with a command stays unchanged")
    func aHintThatNamesALineStays() throws {
        let vague = try ending(with: .permanent(.notFound, "Gone.", hint: "Check the address."))
        #expect(vague.hint?.hasPrefix("Check the address. `ferry edit 42 --url URL`") == true)
        for exact in ["Do `ferry doctor`.", "Use --overwrite.", "--allow-downgrade follows it."] {
            #expect(try ending(with: .permanent(.refused, "No.", hint: exact)).hint == exact)
        }
        let told = Problem.permanent(.refused, "No.", hint: "Nothing is lost, all is kept: `ferry run`.")
        #expect(try ending(with: told, received: 9).hint == told.failure.hint)
    }

    @Test("every error status ends with a command to type", arguments: 200...599)
    func everyFinalStatusNamesALineToType(_ status: Int) throws {
        let url = try HTTPURL(parsing: "http://example.com/f")
        let facts = ResponseFacts(ResponseHead(status: status, headers: [:], bodyLength: nil), at: Self.now)
        let problem = StatusProblem.problem(for: facts, url: url, hasWorked: false)
        if case .condition = problem.disposition { return }
        let hint = try #require(ending(with: problem).hint)
        #expect(hint.contains("`ferry ") || hint.contains(" --"), "\(status) names nothing to type: \(hint)")
    }
}
