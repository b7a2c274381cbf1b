import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Any knowledge and any answer")
struct JudgePropertyTests {
    typealias A = Answers
    private static let tags = ["\"a\"", "\"b\"", "W/\"a\"", "a", "\"a-gzip\"", "\"\""]
    private static let dates = [A.dateText, "Tue, 14 Nov 2023 22:13:20 GMT", "yesterday"]
    private static let types = ["application/zip", "text/html", nil]

    private func fields(_ random: inout SeededRandom) -> [(HTTPField.Name, String)] {
        var fields: [(HTTPField.Name, String)] = []
        if Bool.random(using: &random) { fields.append((.eTag, Self.tags.randomElement(using: &random)!)) }
        if Bool.random(using: &random) {
            fields.append((.lastModified, Self.dates.randomElement(using: &random)!))
        }
        if Bool.random(using: &random) { fields.append((.date, A.responseDate)) }
        return fields
    }

    @Test(arguments: UInt64(0)..<500)
    func bytesAreMixedWithNothingThatIsNotProvedToBeTheSame(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 { check(&random, seed: seed) }
    }

    private func check(_ random: inout SeededRandom, seed: UInt64) {
        let lengths: [Int64?] = [nil, 200_000]
        let received = [0, 10, 100_000, 199_999].randomElement(using: &random)! as Int64
        let known = A.known(
            fields(&random),
            received: received,
            of: lengths.randomElement(using: &random)!,
            type: Self.types.randomElement(using: &random)!
        )
        var options = DownloadOptions()
        options.onChange = ChangePolicy.allCases.randomElement(using: &random)!
        options.strictResume = .random(using: &random)
        let segment = known.segments.segments[0]
        let server = ServerTraits(lacksIfRange: .random(using: &random))
        var request = RangeRequest.resuming(
            segment,
            of: known,
            server: server,
            strict: options.strictResume
        )
        if Int.random(in: 0..<4, using: &random) == 0 { request = .whole }
        let from = [request.from, received, 0].randomElement(using: &random)!
        let total = ["200000", "200001", "*"].randomElement(using: &random)!
        let range: String? = [
            nil, "bytes \(from)-199999/\(total)", "bytes */\(total)", "bytes */\(received)", "x",
        ]
        .randomElement(using: &random)!
        let response = A.answer(
            [200, 206, 206, 206, 412, 416, 503].randomElement(using: &random)!,
            fields(&random),
            length: [nil, 200_000, 200_000 - from].randomElement(using: &random)!,
            range: range,
            type: Self.types.randomElement(using: &random)!
        )

        let verdict = ResponseJudge(known: known, specification: A.specification(options))
            .judge(response, to: request, segment: segment)
        let context = Comment(
            rawValue: "seed \(seed): \(known.validator) \(request) \(response) -> \(verdict)"
        )
        let judged = JudgedAnswer(known: known, options: options, request: request, response: response)
        expectSafety(of: verdict, judged, context)
    }

    /// What was known, asked and answered.
    private struct JudgedAnswer {
        let known: DownloadProgress
        let options: DownloadOptions
        let request: RangeRequest
        let response: ResponseFacts

        var segment: Segment { known.segments.segments[0] }
    }

    private func expectSafety(of verdict: ResponseVerdict, _ judged: JudgedAnswer, _ context: Comment) {
        let (known, options, request, response) = (
            judged.known, judged.options, judged.request, judged.response
        )
        let segment = judged.segment
        let received = known.segments.received
        switch verdict {
        case .begin:
            #expect(received == 0 && response.contentRange == .absent, context)
        case .proceed, .compare:
            guard case .present(.bytes(let part, let total)) = response.contentRange else {
                Issue.record(context)
                return
            }
            #expect(response.status == 206 && part.lowerBound == request.from && !response.isEncoded, context)
            let isProved = known.validator.entityTag.flatMap { tag in
                response.validator.entityTag.map { tag.strongMatches($0) }
            }
            let isCompared = if case .compare = verdict { true } else { false }
            #expect(
                (isProved == true && isCompared) || !known.validator.contradicts(response.validator),
                context
            )
            if let length = known.segments.length, let total { #expect(total == length, context) }
            if case .proceed = verdict {
                #expect(part.lowerBound == segment.written, context)
                let sameTag = known.validator.entityTag.flatMap { tag in
                    response.validator.entityTag.map { tag.strongMatches($0) }
                }
                let sameDate =
                    known.validator.strength == .strongDate
                    && known.validator.lastModifiedInstant == response.validator.lastModifiedInstant
                #expect(sameTag == true || sameDate, context)
            } else {
                #expect(!options.strictResume && part.lowerBound < segment.written, context)
                #expect(known.segments.length == nil || total == known.segments.length, context)
            }
        case .startOver:
            #expect(received > 0 && response.status == 200 && response.contentRange == .absent, context)
            if options.onChange != .restart, known.validator.strength != .none {
                #expect(response.validator.strength != .none, context)
            }
        case .askAgain(let next, _):
            #expect(next != request, context)
        case .complete:
            let sameTag = known.validator.entityTag.flatMap { tag in
                response.validator.entityTag.map { tag.strongMatches($0) }
            }
            #expect(response.status == 416 && received > 0 && sameTag == true, context)
            #expect(!known.validator.contradicts(response.validator), context)
        case .refuse: break
        }
    }

    /// Each answer that asks for another question comes closer to the plainest one, so that no server can keep a
    /// connection asking for ever.
    @Test(arguments: UInt64(0)..<200)
    func noServerKeepsFerryAskingForEver(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let known = A.known(fields(&random), of: Bool.random(using: &random) ? 200_000 : nil)
        let segment = known.segments.segments[0]
        let judge = ResponseJudge(known: known, specification: A.specification(DownloadOptions()))
        var request = RangeRequest.resuming(segment, of: known, server: ServerTraits(), strict: false)
        for number in 0...8 {
            let response = A.answer(
                [200, 206, 412, 416].randomElement(using: &random)!,
                fields(&random),
                range: [nil, "bytes \(request.from)-199999/200000", "bytes */100000"]
                    .randomElement(using: &random)!
            )
            guard case .askAgain(let next, _) = judge.judge(response, to: request, segment: segment)
            else { return }
            request = next
            #expect(number < 4, "seed \(seed) asks \(number) times")
        }
    }
}
