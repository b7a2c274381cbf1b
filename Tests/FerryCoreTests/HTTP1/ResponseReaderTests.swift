import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

@Suite("A reader of answers")
struct ResponseReaderTests {
    static let samples: [AnswerSample] = [
        AnswerSample("length", plain(), .plain),
        AnswerSample("length and more behind it", plain() + "more", .plain),
        AnswerSample("chunks", chunked(), .chunked),
        AnswerSample("until close", fielded("X: y\r\n"), .whole(.untilClose, .closes), then: .orderly),
        AnswerSample("closing", plain("Connection: foo, CLOSE\r\n"), .whole(.length(37), .closes)),
        AnswerSample(
            "kept for a time",
            plain("Keep-Alive: max=3, timeout=5\r\n"),
            .whole(.length(37), .persists(upTo: .seconds(5)))
        ),
        AnswerSample(
            "kept under HTTP/1.0",
            plain("Connection: Keep-Alive\r\n", status: "HTTP/1.0 200 OK\r\n"),
            .plain
        ),
        AnswerSample(
            "HEAD",
            "HTTP/1.1 200 OK\r\nContent-Length: 37\r\n\r\n",
            .empty(.persists(upTo: nil)),
            to: .head
        ),
        AnswerSample(
            "HEAD with two lengths",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            .empty(.persists(upTo: nil)),
            to: .head
        ),
        AnswerSample("204", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", .empty(.persists(upTo: nil))),
        AnswerSample(
            "304",
            "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n",
            .empty(.persists(upTo: nil))
        ),
        AnswerSample(
            "length of nothing",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
            .empty(.persists(upTo: nil))
        ),
        AnswerSample(
            "tunnel",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            .empty(.tunnels),
            to: .connect
        ),
        AnswerSample(
            "refused tunnel",
            fielded("Content-Length: 37\r\n", status: "HTTP/1.1 407 No\r\n"),
            .plain,
            to: .connect
        ),
    ]

    @Test("says how the length was known and whether the connection stays", arguments: samples)
    func readsToTheEnd(_ sample: AnswerSample) throws {
        let whole = try sample.read()
        for size in 1...sample.bytes.count { #expect(try sample.read(cutInto: [size]) == whole) }
        switch sample.outcome {
        case .whole(let framing, let persistence):
            #expect(whole.body == Array(AnswerSample.text.utf8))
            #expect(whole.framing == framing)
            #expect(whole.end?.framing == framing)
            #expect(whole.end?.persistence == persistence)
        case .empty(let persistence):
            #expect(whole.body.isEmpty)
            #expect(whole.head?.bodyLength == 0)
            #expect(whole.end?.persistence == persistence)
        case .refused:
            Issue.record("no sample here is refused")
        }
    }

    @Test(
        "every cut in two of every sample reads the same",
        arguments: [
            ResponseReaderTests.samples, LenientAnswerTests.samples, RefusedAnswerTests.samples,
        ]
    )
    func cutsDoNotMatter(_ samples: [AnswerSample]) throws {
        for sample in samples {
            let whole = try sample.read()
            for cut in 1..<max(2, sample.bytes.count) {
                let reading = try sample.read(cutInto: [cut, sample.bytes.count])
                #expect(reading == whole, "\(sample.name), cut at \(cut)")
            }
        }
    }

    @Test("interim answers are handed on, and only so many")
    func interimAnswersAreHandedOn() throws {
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\nContent-Length: 5\r\n\r\n"
        let text = "HTTP/1.1 100 Continue\r\n\r\n" + hints + "HTTP/1.1 104 Upload\r\n\r\n" + plain()
        let reading = try AnswerSample("", text, .plain).read()
        #expect(reading.interim.map(\.status) == [100, 103, 104])
        #expect(reading.interim[1].headers[values: try #require(HTTPField.Name("Link"))] == ["</a>"])
        #expect(reading.body.count == 37)
        let most = String(repeating: hints, count: ResponseLimits().interimAnswers)
        #expect(try AnswerSample("", most + plain(), .plain).read().fault == nil)
        #expect(try AnswerSample("", most + hints, .plain).read().fault == .tooManyInterimAnswers)
    }

    @Test("bytes behind the end are left where they are")
    func bytesBehindTheEndAreLeft() throws {
        var reader = ResponseReader(answering: .get)
        let bytes = Array((plain() + plain()).utf8)
        var position = 0
        while try reader.next(in: bytes.span.bytes, at: &position) != nil {}
        #expect(reader.hasEnded)
        #expect(position == bytes.count / 2)
        #expect(try reader.close(isOrderly: false) == nil)
    }

    @Test("parts of a body lie in the bytes that were given")
    func partsArePlaces() throws {
        var reader = ResponseReader(answering: .get)
        let head = Array(
            "xxHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\nabc\r\n0\r\n\r\n".utf8
        )
        var position = 2
        var parts: [String] = []
        while let event = try reader.next(in: head.span.bytes, at: &position) {
            if case .body(let part) = event { parts.append(head[part].text) }
        }
        #expect(parts == ["hello", "abc"])
    }

    @Test("a fault stays")
    func faultsStay() throws {
        let fault = WireFault.invalidStatus
        var reader = ResponseReader(answering: .get)
        let bytes = Array("HTTP/1.1 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\n".utf8)
        var position = 0
        #expect(throws: fault) { try reader.next(in: bytes.span.bytes, at: &position) }
        #expect(throws: fault) { try reader.next(in: bytes.span.bytes, at: &position) }
        #expect(throws: fault) { try reader.close(isOrderly: true) }
    }

    /// An answer that goes on and on.
    struct Endless: Sendable, CustomTestStringConvertible {
        var start: String
        var piece: String
        var count: Int
        var fault: WireFault
        var testDescription: String { "\(fault)" }
    }

    @Test(
        "what a server can make this side keep is bounded",
        arguments: [
            Endless(start: "", piece: "A: b\r\n", count: 60_000, fault: .tooManyFields),
            Endless(start: "", piece: "garbage\r\n", count: 60_000, fault: .headTooLarge),
            Endless(start: "A: b\r\n", piece: " c\r\n", count: 90_000, fault: .headTooLarge),
            Endless(start: "A: ", piece: "b", count: 140_000, fault: .lineTooLong),
            Endless(
                start: "Transfer-Encoding: chunked\r\n\r\n1;",
                piece: "b",
                count: 5_000,
                fault: .chunkLineTooLong
            ),
            Endless(
                start: "Transfer-Encoding: chunked\r\n\r\n0\r\n",
                piece: "A: bcdefghijklmn\r\n",
                count: 2_000,
                fault: .trailersTooLarge
            ),
        ]
    )
    func everythingIsBounded(_ endless: Endless) throws {
        let text =
            "HTTP/1.1 200 OK\r\n" + endless.start + String(repeating: endless.piece, count: endless.count)
        let sample = AnswerSample("", text, .refused(endless.fault))
        #expect(try sample.read().fault == endless.fault)
        #expect(try sample.read(cutInto: [977, 13]).fault == endless.fault)
    }

    @Test(
        "bounds are met to the byte",
        arguments: [(20, nil), (19, WireFault.headTooLarge)] as [(Int, WireFault?)]
    )
    func boundsAreExact(bytes: Int, fault: WireFault?) throws {
        var limits = ResponseLimits()
        limits.headBytes = bytes
        let answer = Array("HTTP/1.1 204 No\r\nA: 3456\r\nB: 3456\r\n\r\n".utf8)
        for sizes in [[], [1]] {
            #expect(try AnswerReading(answer, cutInto: sizes, limits: limits).fault == fault)
        }
    }

    @Test("a head within the bounds is read")
    func largeHeadsAreRead() throws {
        let fields = (0..<1_900).map { "X-\($0): " + String(repeating: "v", count: 100) + "\r\n" }.joined()
        let reading = try AnswerSample("", plain(fields), .plain).read(cutInto: [1000])
        #expect(reading.head?.headers.count == 1_901)
        #expect(reading.body.count == 37)
    }

    @Test("random damage never traps, and never leaves a contradiction", arguments: UInt64(0)..<20)
    func damageIsSurvived(block: UInt64) throws {
        let samples = Self.samples + LenientAnswerTests.samples + RefusedAnswerTests.samples
        for round in 0..<UInt64(120) {
            var mutation = SeedMutation(seed: block << 32 | round)
            let sample = samples[Int(block &* 120 &+ round) % samples.count]
            let other = samples[Int(round &* 7) % samples.count]
            let input =
                Array("\(sample.method) 5 1 9\n".utf8) + mutation.damaged(sample.bytes, with: other.bytes)
            #expect(throws: Never.self, "\(sample.name): \(input)") { try InputProperty.answer.check(input) }
        }
    }
}
