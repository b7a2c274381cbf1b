import FerryCore
import HTTPTypes
import Testing

/// Statuses that the user wants retried.
@Suite("Statuses that are retried on request")
struct RetriedStatusTests {
    private static let plain = DownloadProgress()

    private func verdict(
        _ status: Int,
        _ retried: Set<Int>,
        knowing known: DownloadProgress = Self.plain
    ) -> Answers.Verdict {
        var options = DownloadOptions()
        options.retriedStatuses = retried
        let segment = known.segments.segments[0]
        let judge = ResponseJudge(known: known, specification: Answers.specification(options))
        let request = RangeRequest.resuming(segment, of: known, server: ServerTraits(), strict: false)
        return Answers.Verdict(judge.judge(Answers.answer(status), to: request, segment: segment))
    }

    @Test func onlyAFinalRefusalThatIsNamedBecomesOneThatPasses() {
        for status in 400...599 {
            let usual = verdict(status, [])
            #expect(verdict(status, [status == 404 ? 405 : 404]) == usual, "\(status)")
            let named = verdict(status, Set(100...999))
            switch usual {
            case .permanent(let code) where status != 401 && status != 407:
                #expect(named == .transient(code), "\(status)")
            default: #expect(named == usual, "\(status)")
            }
        }
    }

    @Test func aSuccessOrARedirectWithoutContentStaysFinal() {
        for status in [204, 205, 300, 304] {
            #expect(verdict(status, Set(100...999)) == verdict(status, []), "\(status)")
            #expect(verdict(status, Set(100...999)) == .permanent(.badResponse), "\(status)")
        }
    }

    /// A fresh URL helps where a repetition does not, and a part that does not fit is asked for as a whole.
    @Test func whatFerryDoesOtherwiseComesFirst() {
        let known = Answers.known([(.eTag, "\"a\"")])
        for status in [403, 412, 416] {
            let usual = verdict(status, [], knowing: known)
            #expect(verdict(status, [status], knowing: known) == usual, "\(status)")
            if case .permanent = usual { Issue.record("\(status) is final") }
        }
    }

    @Test func theWaitThatTheServerAsksForIsKept() throws {
        var options = DownloadOptions()
        options.retriedStatuses = [404]
        let segment = Self.plain.segments.segments[0]
        let judge = ResponseJudge(known: Self.plain, specification: Answers.specification(options))
        let answer = Answers.answer(404, [(.retryAfter, "7")])
        guard case .refuse(let problem) = judge.judge(answer, to: .whole, segment: segment) else {
            Issue.record("a 404 is used")
            return
        }
        #expect(problem.disposition == .transient(retryAfter: .seconds(7)))
        #expect(problem.failure.code == .notFound)
    }
}
