import FerryCore
import HTTPTypes
import Testing

@Suite("Answers that contradict themselves or known facts (I5)")
struct HostileAnswerTests {
    typealias A = Answers
    private static let tag = [(HTTPField.Name.eTag, "\"v1\"")]
    private static let overlap = RangeRequest(from: 34_464, upTo: nil, condition: .overlap(65_536))

    @Test(arguments: [
        nil, "bytes 99999-199999/200000", "bytes 100001-199999/200000", "bytes 0-199999/200000",
        "bytes */200000",
        "bytes 100000-199999/199999", "bytes 100000-99999/200000", "chunks 100000-199999/200000",
        "bytes 100000-199999", "bytes=100000-199999/200000",
    ])
    func aPartWithoutTheRightRangeIsNeverWritten(_ range: String?) {
        #expect(
            A.judge(A.answer(206, Self.tag, length: nil, range: range), A.known(Self.tag))
                == .transient(.badResponse)
        )
    }

    @Test func aMultipartAnswerIsNeverWritten() {
        for range in [nil, "bytes 100000-199999/200000"] {
            let answer = A.answer(206, Self.tag, range: range, type: "Multipart/ByteRanges; boundary=x")
            #expect(A.judge(answer, A.known(Self.tag)) == .transient(.badResponse))
        }
    }

    @Test func twoRangesInOneHeadAreNeverWritten() {
        let fields =
            Self.tag + [(.contentRange, "bytes 100000-199999/200000"), (.contentRange, "bytes 0-9/200000")]
        #expect(A.judge(A.answer(206, fields), A.known(Self.tag)) == .transient(.badResponse))
    }

    @Test func aPartBehindWhatWasAskedForIsNeverWritten() {
        let asked = RangeRequest(from: 100_000, upTo: 150_000, condition: .ifRange(EntityTag("\"v1\"")!))
        #expect(A.judge(A.rest(Self.tag), A.known(Self.tag), asking: asked) == .transient(.badResponse))
    }

    @Test func aBodyOfAnotherLengthThanItsRangeIsNeverWritten() {
        let answer = A.answer(206, Self.tag, length: 99_999, range: "bytes 100000-199999/200000")
        #expect(A.judge(answer, A.known(Self.tag)) == .transient(.badResponse))
    }

    @Test func aWholeAnswerWithARangeIsNeverWritten() {
        for known in [A.known(Self.tag), A.known([], received: 0, of: nil)] {
            let answer = A.answer(200, Self.tag, length: 200_000, range: "bytes 0-199999/200000")
            #expect(A.judge(answer, known) == .transient(.badResponse))
        }
    }

    /// Range, total and length agree, and no range was requested.
    @Test func anAnswerThatEvidentlyIsTheWholeIsReadAsOne() throws {
        let rest = RangeRequest(from: 0, upTo: nil, condition: .ifRange(try #require(EntityTag("\"v1\""))))
        var ofPart = RangeRequest.whole
        ofPart.part = RequestedPart(try #require(ByteRange("0-199999")))
        for status in [200, 206] {
            let whole = A.answer(status, Self.tag, length: 200_000, range: "bytes 0-199999/200000")
            let read = whole.readAsWhole(answering: .whole)
            #expect(read == A.answer(200, Self.tag, length: 200_000))
            #expect(read.status == 200 && read.contentRange == .absent)
            #expect(A.judge(read, A.known(Self.tag), asking: .whole) == .startOver(.rangesUnsupported))
            #expect(A.judge(read, A.known([], received: 0, of: nil)) == .begin)
            #expect(whole.readAsWhole(answering: ofPart) == whole)
            // A 206 to a request for a range is a part, even if it is all of the file.
            #expect(whole.readAsWhole(answering: rest).status == status)
        }
    }

    @Test(
        arguments: [
            (nil, "bytes 0-199999/200000"), (199_999, "bytes 0-199999/200000"), (200_000, "bytes 0-199999/*"),
            (200_000, "bytes 0-199999/200001"), (200_000, "bytes 1-200000/200001"),
            (200_000, "bytes 100000-199999/200000"),
            (200_000, "bytes */200000"), (200_000, "items 0-199999/200000"), (200_000, nil),
        ] as [(Int64?, String?)]
    )
    func anAnswerThatMayNotBeTheWholeStaysAsItIs(length: Int64?, range: String?) {
        for status in [200, 206] where status == 206 || range != nil {
            let answer = A.answer(status, Self.tag, length: length, range: range)
            let read = answer.readAsWhole(answering: .whole)
            #expect(read == answer)
            #expect(A.judge(read, A.known(Self.tag), asking: .whole) == .transient(.badResponse))
        }
        let several = A.answer(206, length: 9, range: "bytes 0-8/9", type: "multipart/byteranges")
        #expect(several.readAsWhole(answering: .whole) == several)
    }

    /// One of the two lengths is wrong, and only the user can say that it may be the first.
    @Test func theSameTagWithAnotherLengthIsTakenOnlyByWhoAskedForARestart() {
        for policy in ChangePolicy.allCases {
            let isWanted = policy == .restart
            let whole = A.answer(200, Self.tag, length: 200_001)
            #expect(
                A.judge(whole, A.known(Self.tag), policy: policy)
                    == (isWanted ? .startOver(.resourceChanged) : .transient(.badResponse))
            )
            for total in ["200001", "199999", "100001"] {
                let last = (Int(total) ?? 0) - 1
                let part = A.answer(206, Self.tag, range: "bytes 100000-\(last)/\(total)")
                #expect(
                    A.judge(part, A.known(Self.tag), policy: policy)
                        == (isWanted ? .askForAllThatChanged : .transient(.badResponse))
                )
            }
        }
    }

    @Test func aTotalThatIsNotToldIsGoodEnoughWithAStrongTagOnly() {
        #expect(A.judge(A.rest(Self.tag, total: "*"), A.known(Self.tag)) == .proceed(.entityTagMatched))
        let beyond = A.answer(206, Self.tag, range: "bytes 100000-200000/*")
        #expect(A.judge(beyond, A.known(Self.tag)) == .askForAll)
    }

    @Test func aServerThatIgnoresIfRangeIsFoundOut() {
        let other = A.rest([(.eTag, "\"v2\"")])
        #expect(A.judge(other, A.known(Self.tag)) == .askAgain(.whole, finding: .ignoredIfRange))
    }

    @Test func aTagThatVanishesProvesNothing() {
        #expect(A.judge(A.rest(), A.known(Self.tag)) == .askAgain(Self.overlap))
        #expect(A.judge(A.rest(), A.known(Self.tag), strict: true) == .askForAll)
    }

    @Test(arguments: ["W/\"v1\"", "v1", "\"v1-gzip\"", "\"v1\"-gzip", "\"V1\"", "\"v1\", \"v2\""])
    func aTagThatIsNotTheSameOctetForOctetIsAnother(_ text: String) {
        let verdict = A.judge(A.rest([(.eTag, text)]), A.known(Self.tag))
        #expect(verdict == .askAgain(.whole, finding: .ignoredIfRange))
        // As a new version it is as plausible as any.
        let whole = A.answer(200, [(.eTag, text)], length: 200_000)
        // As far as a weak tag can tell, it is the same version, which this server does not send in parts.
        let reason: ResponseVerdict.Reason = text.hasPrefix("W/") ? .rangesUnsupported : .resourceChanged
        #expect(A.judge(whole, A.known(Self.tag)) == .startOver(reason))
    }

    /// It says nothing against the bytes that are there.
    @Test func aPartInAnotherCodingKeepsTheBytes() {
        for coding in ["gzip", "br", "identity, gzip", "x-unknown"] {
            let answer = A.rest(Self.tag + [(.contentEncoding, coding)])
            #expect(A.judge(answer, A.known(Self.tag)) == .transient(.badResponse))
            #expect(A.judge(answer, A.known(Self.tag), policy: .restart) == .askForAll)
            let overlapping = A.rest([(.contentEncoding, coding)], from: 34_464)
            #expect(A.judge(overlapping, A.known([])) == .transient(.badResponse))
            let other = A.rest([(.eTag, "\"v2\""), (.contentEncoding, coding)])
            #expect(A.judge(other, A.known(Self.tag)) == .askAgain(.whole, finding: .ignoredIfRange))
        }
        var compressed = A.known(Self.tag)
        compressed.contentCoding = "gzip"
        #expect(A.judge(A.rest(Self.tag), compressed) == .transient(.badResponse))
        #expect(
            A.judge(A.rest(Self.tag + [(.contentEncoding, "identity")]), A.known(Self.tag))
                == .proceed(.entityTagMatched)
        )
    }

    /// The length of an encoded body is not that of the file, and no contradiction of it.
    @Test func theWholeInAnotherCodingIsNotHeldAgainstTheLengthOfTheFile() throws {
        let tag = try #require(EntityTag("\"v1\""))
        for length in [Int64?.none, 77, 200_000] {
            let answer = A.answer(200, Self.tag + [(.contentEncoding, "gzip")], length: length)
            let conditional = RangeRequest(from: 100_000, upTo: nil, condition: .ifMatch(tag))
            #expect(A.judge(answer, A.known(Self.tag)) == .askAgain(conditional))
            #expect(A.judge(answer, A.known(Self.tag), asking: conditional) == .startOver(.formChanged))
            let silent = A.answer(200, [(.contentEncoding, "gzip")], length: length)
            #expect(A.judge(silent, A.known([])) == .startOver(.formChanged))
        }
    }

    @Test func aLoginPageKeepsTheBytes() {
        let page = A.answer(200, length: 512, type: "text/html")
        for fields in [Self.tag, [(HTTPField.Name.eTag, "W/\"v1\"")], [(HTTPField.Name, String)]()] {
            #expect(A.judge(page, A.known(fields)) == .transient(.resourceReplaced))
            #expect(A.judge(page, A.known(fields), policy: .restart) == .startOver(.resourceChanged))
            #expect(A.judge(page, A.known(fields), policy: .keep) == .transient(.resourceChanged))
            #expect(A.judge(page, A.known(fields), policy: .fail) == .permanent(.resourceChanged))
        }
        // Every validator is gone, but the type is the same.
        #expect(A.judge(A.answer(200, length: 512), A.known(Self.tag)) == .transient(.resourceReplaced))
        #expect(A.judge(A.answer(511, type: "text/html"), A.known(Self.tag)) == .transient(.serverError))
    }

    @Test(arguments: ChangePolicy.allCases)
    func aNewVersionIsDealtWithAsTheUserChose(_ policy: ChangePolicy) {
        let expected: A.Verdict =
            switch policy {
            case .automatic, .restart: .startOver(.resourceChanged)
            case .keep: .transient(.resourceChanged)
            case .fail: .permanent(.resourceChanged)
            }
        let new = A.answer(200, [(.eTag, "\"v2\"")], length: 300_000)
        #expect(A.judge(new, A.known(Self.tag), policy: policy) == expected)
        #expect(A.judge(new, A.known(Self.tag), policy: policy, asking: .whole) == expected)
    }

    static let statuses: [(Int, A.Verdict)] = [
        (204, A.Verdict.permanent(.badResponse)), (205, .permanent(.badResponse)),
        (202, .permanent(.badResponse)),
        (304, .permanent(.badResponse)), (300, .permanent(.badResponse)), (400, .permanent(.refused)),
        (401, .permanent(.notAuthorised)), (403, .waits(.newURL)), (404, .permanent(.notFound)),
        (407, .permanent(.notAuthorised)), (408, .transient(.timeout)), (410, .permanent(.gone)),
        (429, .transient(.serverOverloaded)), (500, .transient(.serverError)),
        (502, .transient(.serverError)),
        (503, .transient(.serverOverloaded)), (504, .transient(.serverError)), (418, .permanent(.refused)),
    ]

    @Test(arguments: statuses)
    func aStatusWithoutContentKeepsTheBytes(_ status: Int, _ expected: A.Verdict) {
        #expect(A.judge(A.answer(status), A.known(Self.tag)) == expected)
    }

    @Test func aRefusalOfAURLThatNeverWorkedAndIsNotSignedIsFinal() {
        #expect(A.judge(A.answer(403), A.known([], received: 0, of: nil)) == .permanent(.forbidden))
    }

    @Test func aLengthBelowZeroIsNoLength() {
        #expect(A.answer(200, length: -1).bodyLength == nil)
    }
}
