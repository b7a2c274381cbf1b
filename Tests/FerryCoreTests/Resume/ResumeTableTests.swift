import FerryCore
import HTTPTypes
import Testing

/// The table of `docs/ARCHITECTURE.md`, row by row: what is known, what is asked, and what each answer means.
@Suite("The meaning of an answer to a resumption")
struct ResumeTableTests {
    typealias A = Answers
    private static let tag = [(HTTPField.Name.eTag, "\"v1\"")]
    private static let newTag = [(HTTPField.Name.eTag, "\"v2\"")]
    private static let weakTag = [(HTTPField.Name.eTag, "W/\"v1\"")]
    private static let date = [(HTTPField.Name.lastModified, A.dateText), (.date, A.responseDate)]
    private static let newDate = [
        (HTTPField.Name.lastModified, "Tue, 14 Nov 2023 11:00:00 GMT"), (.date, A.responseDate),
    ]
    private static let lacking = ServerTraits(lacksIfRange: true)
    private static let strongTag = EntityTag("\"v1\"")!
    private static let overlap = RangeRequest(from: 34_464, upTo: nil, condition: .overlap(65_536))

    @Test func theStrongestThingKnownIsAsked() {
        let segment = A.known(Self.tag).segments.segments[0]
        func ask(
            _ progress: DownloadProgress,
            server: ServerTraits = ServerTraits(),
            strict: Bool = false
        ) -> RangeRequest {
            .resuming(segment, of: progress, server: server, strict: strict)
        }
        #expect(
            ask(A.known(Self.tag))
                == RangeRequest(from: 100_000, upTo: nil, condition: .ifRange(Self.strongTag))
        )
        #expect(ask(A.known(Self.tag), server: Self.lacking).condition == .ifMatch(Self.strongTag))
        #expect(ask(A.known(Self.date)).condition == .ifUnmodifiedDate(A.dateText))
        #expect(ask(A.known(Self.weakTag)) == Self.overlap)
        #expect(ask(A.known([])) == Self.overlap)
        // A date without the server's own clock, or within its second, proves nothing.
        #expect(ask(A.known([(.lastModified, A.dateText)])) == Self.overlap)
        #expect(ask(A.known([(.lastModified, A.dateText), (.date, A.dateText)])) == Self.overlap)
        // A weak tag is not made up for by a date.
        #expect(ask(A.known(Self.weakTag + Self.date)) == Self.overlap)
        #expect(ask(A.known(Self.tag), strict: true).condition == .ifRange(Self.strongTag))
        #expect(ask(A.known(Self.date), strict: true).condition == .ifUnmodifiedDate(A.dateText))
        for weak in [A.known(Self.weakTag), A.known([])] {
            #expect(ask(weak, strict: true) == .whole)
        }
        #expect(
            RangeRequest.resuming(
                Segment(0..<10),
                of: A.known(Self.tag, received: 0),
                server: ServerTraits(),
                strict: false
            )
                == .whole
        )
    }

    @Test func theFieldsSayWhatIsAsked() {
        let rest = RangeRequest(from: 5, upTo: 10, condition: .ifRange(Self.strongTag)).headers
        #expect(rest[.range] == "bytes=5-9" && rest[.ifRange] == "\"v1\"" && rest[.ifMatch] == nil)
        let match = RangeRequest(from: 5, upTo: nil, condition: .ifMatch(Self.strongTag)).headers
        #expect(match[.range] == "bytes=5-" && match[.ifMatch] == "\"v1\"" && match[.ifRange] == nil)
        let dated = RangeRequest(from: 5, upTo: nil, condition: .ifUnmodifiedDate(A.dateText)).headers
        #expect(dated[.ifRange] == A.dateText)
        #expect(Self.overlap.headers[.range] == "bytes=34464-" && Self.overlap.headers[.ifRange] == nil)
        #expect(RangeRequest.whole.headers.isEmpty)
    }

    @Test func aStrongETag() {
        let known = A.known(Self.tag)
        let ifMatch = RangeRequest(from: 100_000, upTo: nil, condition: .ifMatch(Self.strongTag))
        #expect(A.judge(A.rest(Self.tag), known) == .proceed(.entityTagMatched))
        #expect(
            A.judge(A.answer(200, Self.tag, length: 200_000), known) == .askAgain(ifMatch)
        )
        #expect(A.judge(A.answer(200, Self.newTag, length: 300_000), known) == .startOver(.resourceChanged))
        #expect(A.judge(A.answer(412), known) == .askForAll)
        #expect(A.judge(A.answer(416, Self.tag, range: "bytes */200000"), known) == .askForAll)
        let dated = A.known(Self.tag + Self.date)
        #expect(A.judge(A.rest(Self.newDate), dated) == .askAgain(.whole, finding: .ignoredIfRange))
    }

    /// Servers behind one name may each have a date of their own for the same file, or a tag may have been kept for
    /// another one: bytes are compared.
    @Test func theSameStrongETagWithAnotherDate() {
        let known = A.known(Self.tag + Self.date)
        let contradicting = Self.tag + Self.newDate
        let compare = A.Verdict.askAgain(Self.overlap, finding: .otherDate)
        let strict = RangeRequest(from: 100_000, upTo: nil, condition: .ifRange(Self.strongTag))
        for server in [ServerTraits(), Self.lacking] {
            #expect(A.judge(A.rest(contradicting), known, server: server) == compare)
            #expect(A.judge(A.answer(200, contradicting, length: 200_000), known, server: server) == compare)
        }
        #expect(
            A.judge(A.rest(contradicting), known, strict: true, asking: strict)
                == .askAgain(.whole, finding: .otherDate)
        )
        #expect(
            A.judge(A.answer(200, contradicting, length: 200_000), known, strict: true, asking: strict)
                == .startOver(.resourceChanged)
        )
        #expect(A.judge(A.rest(contradicting, from: 34_464), known, asking: Self.overlap) == .compare(65_536))
        for request in [Self.overlap, .whole] {
            let whole = A.answer(200, contradicting, length: 200_000)
            #expect(A.judge(whole, known, asking: request) == .startOver(.resourceChanged))
            #expect(A.judge(whole, known, policy: .fail, asking: request) == .permanent(.resourceChanged))
            #expect(A.judge(whole, known, policy: .keep, asking: request) == .transient(.resourceChanged))
        }
        // With another length it is another version.
        #expect(A.judge(A.rest(contradicting, total: "200001"), known) == .askForAllThatChanged)
        #expect(A.judge(A.answer(200, contradicting, length: 9), known) == .startOver(.resourceChanged))
        let ended = A.known(Self.tag + Self.date, of: nil)
        #expect(
            A.judge(A.answer(416, contradicting, range: "bytes */100000"), ended) == .askAgain(Self.overlap)
        )
    }

    @Test func aStrongETagOfAServerThatLacksIfRange() {
        func judge(_ answer: ResponseFacts) -> A.Verdict {
            A.judge(answer, A.known(Self.tag), server: Self.lacking)
        }
        #expect(judge(A.rest(Self.tag)) == .proceed(.entityTagMatched))
        #expect(judge(A.rest(Self.newTag)) == .askForAllThatChanged)
        #expect(judge(A.answer(200, Self.tag, length: 200_000)) == .startOver(.rangesUnsupported))
        #expect(judge(A.answer(200, Self.newTag, length: 200_000)) == .startOver(.resourceChanged))
        #expect(judge(A.answer(412)) == .askForAll)
    }

    @Test func aStrongDate() {
        let known = A.known(Self.date)
        #expect(A.judge(A.rest(Self.date), known) == .proceed(.dateMatched))
        #expect(A.judge(A.rest(Self.newDate), known) == .askAgain(.whole, finding: .ignoredIfRange))
        #expect(A.judge(A.rest(), known) == .askAgain(Self.overlap))
        #expect(
            A.judge(
                A.rest(),
                known,
                strict: true,
                asking: RangeRequest(from: 100_000, upTo: nil, condition: .ifUnmodifiedDate(A.dateText))
            ) == .askForAll
        )
        #expect(A.judge(A.answer(200, Self.date, length: 200_000), known) == .startOver(.rangesUnsupported))
        #expect(A.judge(A.answer(200, Self.newDate, length: 9), known) == .startOver(.resourceChanged))
    }

    @Test func aWeakETagOrNothing() {
        for fields in [Self.weakTag, [(HTTPField.Name, String)]()] {
            let known = A.known(fields)
            #expect(A.judge(A.rest(fields, from: 34_464), known) == .compare(65_536))
            #expect(A.judge(A.rest(fields, from: 34_464, total: "*"), known) == .askForAll)
            #expect(A.judge(A.rest(fields, from: 34_464, total: "200001"), known) == .askForAllThatChanged)
            // The whole that is asked for then says nothing against the old version, being silent; it is new all
            // the same, and what was known of the old one no longer holds.
            let silent = A.answer(200, fields)
            #expect(A.judge(silent, known, asking: .whole) == .startOver(.rangesUnsupported))
            #expect(
                A.judge(silent, known, hasChanged: true, asking: .whole) == .startOver(.resourceChanged)
            )
            #expect(
                A.judge(silent, known, policy: .fail, hasChanged: true, asking: .whole)
                    == .permanent(.resourceChanged)
            )
            #expect(A.judge(A.answer(200, fields, length: 200_000), known) == .startOver(.rangesUnsupported))
            #expect(A.judge(A.answer(200, fields, length: 200_001), known) == .startOver(.resourceChanged))
            #expect(A.judge(A.answer(416, range: "bytes */90"), known) == .askForAll)
        }
        #expect(
            A.judge(A.rest([(.eTag, "W/\"v2\"")], from: 34_464), A.known(Self.weakTag))
                == .askForAllThatChanged
        )
    }

    @Test func theFirstAnswerBegins() {
        let fresh = A.known([], received: 0, of: nil, type: nil)
        #expect(A.judge(A.answer(200, Self.tag, length: 5), fresh) == .begin)
        #expect(A.judge(A.answer(203, length: nil), fresh) == .begin)
        #expect(A.judge(A.answer(200, length: 0), fresh) == .begin)
        #expect(A.judge(A.answer(206, length: 5, range: "bytes 0-4/5"), fresh) == .transient(.badResponse))
        #expect(A.judge(A.answer(416, range: "bytes */0"), fresh) == .permanent(.refused))
        #expect(A.judge(A.answer(412), fresh) == .permanent(.refused))
    }

    @Test func a416OnAllThatThereIsIsTheEnd() {
        let ended = A.known(Self.tag, of: nil)
        // Without the tag, a server that ignores If-Range says so of any version of this length.
        #expect(A.judge(A.answer(416, range: "bytes */100000"), ended) == .askAgain(Self.overlap))
        #expect(A.judge(A.answer(416, range: "bytes */100000"), ended, strict: true) == .askForAll)
        #expect(A.judge(A.answer(416, Self.tag, range: "bytes */100000"), ended) == .complete)
        #expect(A.judge(A.answer(416, Self.newTag, range: "bytes */100000"), ended) == .askForAll)
        #expect(A.judge(A.answer(416, range: "bytes */99999"), ended) == .askForAll)
        #expect(A.judge(A.answer(416, range: "bytes */100001"), ended) == .askForAll)
        #expect(A.judge(A.answer(416), ended) == .askForAll)
        #expect(A.judge(A.answer(416, range: "bytes 0-1/100000"), ended) == .askForAll)
        // Without proof of the version the length alone says nothing.
        #expect(A.judge(A.answer(416, range: "bytes */100000"), A.known([], of: nil)) == .askForAll)
    }
}
