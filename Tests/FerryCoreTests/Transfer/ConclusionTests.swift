import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// However a transfer ends in failure, its failure says what to do next.
@Suite("The remedies of a final failure")
struct ConclusionTests {
    private static let now = Instant(seconds: 1_700_000_000)

    /// The failure that a transfer ends with when its only attempt meets `problem`.
    private func ending(with problem: Problem, retries: Int = 0) throws -> TransferFailure {
        var specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: nil)
        )
        specification.options.retries = retries
        var transfer = Transfer(
            id: TransferID(rawValue: 42),
            adding: NewTransfer(specification),
            at: Self.now
        )
        transfer.attempts = retries + 1
        var random = SeededRandom(seed: 4)
        let settlement = Settlement(
            of: transfer,
            after: .failed(problem),
            progress: transfer.downloadProgress,
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

    @Test(
        "every code has remedies, and a failure without its own gets them",
        arguments: TransferFailure.Code.allCases
    )
    func everyFinalFailureHasRemedies(_ code: TransferFailure.Code) throws {
        #expect(!code.remedies.isEmpty)
        #expect(Set(code.remedies).count == code.remedies.count)
        for problem in [Problem.permanent(code, "It is so."), .transient(code, "It is so.")] {
            for retries in [0, 3] where retries == 0 || problem.disposition != .permanent {
                #expect(try ending(with: problem, retries: retries).remedies == code.remedies)
            }
        }
    }

    @Test(
        "remedies that are known where the failure arose stay, whether the last attempt or the only one failed"
    )
    func knownRemediesStay() throws {
        let known: [Remedy] = [.createDirectory(path: "/d"), .retry]
        for problem in [
            Problem.permanent(.refused, "No.", remedies: known),
            .transient(.timeout, "Late.", remedies: known),
        ] {
            for retries in [0, 3] where retries == 0 || problem.disposition != .permanent {
                #expect(try ending(with: problem, retries: retries).remedies == known)
            }
        }
    }

    @Test("every error status ends with remedies", arguments: 200...599)
    func everyFinalStatusHasRemedies(_ status: Int) throws {
        let url = try HTTPURL(parsing: "http://example.com/f")
        let facts = ResponseFacts(ResponseHead(status: status, headers: [:], bodyLength: nil), at: Self.now)
        let problem = StatusProblem.problem(for: facts, url: url, hasWorked: false)
        if case .condition = problem.disposition { return }
        #expect(try !ending(with: problem).remedies.isEmpty)
        let retries = problem.disposition == .permanent ? 0 : 3
        #expect(try ending(with: problem, retries: retries).status == status, "also when attempts ran out")
    }
}
