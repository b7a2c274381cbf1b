import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

@Suite("A part that is downloaded on purpose")
struct RequestedPartTests {
    private static func facts(_ status: Int, _ range: String? = nil, length: Int64? = nil) -> ResponseFacts {
        var fields: HTTPFields = [.eTag: "\"v\""]
        fields[.contentRange] = range
        return ResponseFacts(ResponseHead(status: status, headers: fields, bodyLength: length), at: .epoch)
    }

    private static func read(
        _ text: String,
        start: Int64? = nil,
        _ facts: ResponseFacts,
        to request: RangeRequest = .whole
    ) throws -> ResponseFacts {
        let part = RequestedPart(try #require(ByteRange(text)), start: start)
        return try part.read(facts, to: request, from: "example.com")
    }

    @Test("a range is read as HTTP writes it", arguments: ["0-0", "0-1048575", "100-", "-65536", "5-5"])
    func readsRanges(text: String) throws {
        #expect(try #require(ByteRange(text)).description == text)
    }

    @Test(
        "what is no single range is refused",
        arguments: [
            "", "-", "5", "9-5", "-0", "a-b", "0-1,3-4", "1-2-3", " 0-1", "+1-2", "0-99999999999999999999",
        ]
    )
    func refusesOthers(text: String) {
        #expect(ByteRange(text) == nil)
    }

    @Test("the first request names the range as it was given, and later ones count from its start")
    func fields() throws {
        let cases: [(text: String, start: Int64?, from: Int64, upTo: Int64?, field: String)] = [
            ("100-199", nil, 10, nil, "bytes=110-199"), ("100-199", nil, 10, 20, "bytes=110-119"),
            ("100-", nil, 10, nil, "bytes=110-"), ("-50", 950, 10, nil, "bytes=960-"),
        ]
        for (text, start, from, upTo, field) in cases {
            var request = RangeRequest.whole
            request.part = RequestedPart(try #require(ByteRange(text)), start: start)
            #expect(request.headers[.range] == "bytes=\(text)" && request.headers[.ifRange] == nil)
            request.condition = .ifRange(EntityTag("\"v\"")!)
            (request.from, request.upTo) = (from, upTo)
            #expect(request.headers[.range] == field && request.headers[.ifRange] == "\"v\"")
        }
    }

    @Test("the part counts as the whole")
    func first() throws {
        let cases: [(text: String, range: String, length: Int64, start: Int64)] = [
            ("100-199", "bytes 100-199/1000", 100, 100), ("100-199", "bytes 100-149/150", 50, 100),
            ("100-", "bytes 100-999/1000", 900, 100), ("-50", "bytes 950-999/1000", 50, 950),
            ("-50", "bytes 0-9/10", 10, 0), ("100-199", "bytes 100-199/*", 100, 100),
            // A server may send less; the rest is requested again.
            ("100-199", "bytes 100-109/1000", 100, 100),
        ]
        for (text, range, length, start) in cases {
            let read = try Self.read(text, Self.facts(206, range))
            #expect(
                read.status == 200 && read.contentRange == .absent && read.bodyLength == length,
                "\(text) \(range)"
            )
            #expect(read.partStart == start && read.validator.entityTag?.description == "\"v\"")
        }
    }

    @Test(
        "another part is never taken for the requested one",
        arguments: [
            ("100-199", "bytes 0-99/1000"), ("100-199", "bytes 100-200/1000"),
            ("100-199", "bytes 101-199/1000"),
            ("100-", "bytes 100-199/*"), ("-50", "bytes 950-999/*"), ("-50", "bytes 940-999/1000"),
            ("100-199", ""),
        ]
    )
    func otherPart(text: String, range: String) throws {
        #expect(throws: Problem.self) { try Self.read(text, Self.facts(206, range.isEmpty ? nil : range)) }
    }

    @Test("the whole is taken only if it is no more than the part")
    func whole() throws {
        #expect(try Self.read("0-", Self.facts(200, length: 10)).partStart == 0)
        #expect(try Self.read("-50", Self.facts(200, length: 10)).bodyLength == 10)
        for (text, length) in [("0-4", 10), ("1-", 10), ("-5", 10), ("0-", nil)] as [(String, Int64?)] {
            #expect(throws: Problem.self) { try Self.read(text, Self.facts(200, length: length)) }
        }
    }

    @Test("416 to the first request is final, and names the length")
    func unsatisfiable() throws {
        do {
            _ = try Self.read("100-", Self.facts(416, "bytes */50"))
            Issue.record("416 was accepted")
        } catch let problem as Problem {
            #expect(problem.disposition == .permanent && problem.failure.message.contains("50 bytes"))
        }
    }

    @Test("later answers are counted from the start of the part")
    func later() throws {
        var request = RangeRequest(from: 10, upTo: nil, condition: .ifRange(EntityTag("\"v\"")!))
        request.part = nil
        let part = try Self.read("100-199", Self.facts(206, "bytes 110-199/1000"), to: request)
        #expect(part.contentRange == .present(.bytes(10..<100, total: 100)) && part.status == 206)
        let last = try Self.read("-50", start: 950, Self.facts(206, "bytes 960-999/1000"), to: request)
        #expect(last.contentRange == .present(.bytes(10..<50, total: 50)))
        let outside = try Self.read("100-199", Self.facts(206, "bytes 10-99/1000"), to: request)
        #expect(outside.contentRange == .unreadable)
        let ended = try Self.read("100-199", Self.facts(416, "bytes */110"), to: request)
        #expect(ended.contentRange == .present(.unsatisfied(total: 10)))
        #expect(try Self.read("100-199", Self.facts(200, length: 1000), to: request).status == 412)
    }

    @Test("drawn ranges and lengths: the part is what a slice of the bytes is")
    func drawn() throws {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let total = Int64.random(in: 1...60, using: &random)
            let first = Int64.random(in: 0..<total, using: &random)
            let last = Int64.random(in: first...80, using: &random)
            let (text, slice): (String, Range<Int64>) =
                switch Int.random(in: 0..<3, using: &random) {
                case 0: ("\(first)-\(last)", first..<min(last + 1, total))
                case 1: ("\(first)-", first..<total)
                default: ("-\(first + 1)", max(0, total - first - 1)..<total)
                }
            let range = "bytes \(slice.lowerBound)-\(slice.upperBound - 1)/\(total)"
            let read = try Self.read(text, Self.facts(206, range, length: Int64(slice.count)))
            #expect(
                read.bodyLength == Int64(slice.count) && read.partStart == slice.lowerBound,
                "seed \(seed)"
            )
        }
    }
}
