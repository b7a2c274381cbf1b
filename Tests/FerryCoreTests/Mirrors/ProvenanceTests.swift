import FerryCore
import FerryTesting
import Foundation
import Testing

struct ProvenanceTests {
    private let sources = [SourceID.own, .mirror("https://a.example/f"), .mirror("https://b.example/f")]

    @Test(arguments: UInt64(0)..<200)
    func agreesWithANoteForEachByte(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var provenance = Provenance()
        var bytes = [Int?](repeating: nil, count: 60)
        for _ in 0..<60 {
            let begin = Int.random(in: 0..<60, using: &random)
            let end = Int.random(in: begin...60, using: &random)
            let source = Int.random(in: 0..<3, using: &random)
            if Int.random(in: 0..<4, using: &random) == 0 {
                provenance.forget(Int64(begin)..<Int64(end))
                for index in begin..<end { bytes[index] = nil }
            } else {
                provenance.note(Int64(begin)..<Int64(end), from: sources[source])
                for index in begin..<end { bytes[index] = source }
            }
            for index in bytes.indices {
                let found = provenance.sources(of: Int64(index)..<Int64(index + 1))
                #expect(found == Set(bytes[index].map { sources[$0] }.map { [$0] } ?? []))
            }
            var mirroring = Mirroring()
            mirroring.provenance = provenance
            let again = try JSONDecoder().decode(Mirroring.self, from: JSONEncoder().encode(mirroring))
            #expect(again == mirroring)
        }
    }

    @Test func neighboursOfOneSourceAreOneSpan() {
        var provenance = Provenance()
        provenance.note(0..<10, from: .own)
        provenance.note(20..<30, from: .own)
        provenance.note(10..<20, from: .own)
        #expect(provenance.spans.map(\.range) == [0..<30] && provenance.spans.first?.source == .own)
    }

    @Test func whatIsTooMuchToKeepIsForgottenAndSaidToBe() {
        var provenance = Provenance()
        for index in 0..<Int64(2 * Provenance.mostSpans) {
            provenance.note(index..<(index + 1), from: sources[Int(index % 2)])
        }
        #expect((Provenance.mostSpans - 2...Provenance.mostSpans).contains(provenance.spans.count))
        #expect(provenance.spans.first?.range.lowerBound == 0)
        #expect(provenance.spans.last?.range.upperBound == Int64(2 * Provenance.mostSpans))
        #expect(provenance.sources(of: 0..<Int64(2 * Provenance.mostSpans)).contains(nil))
    }

    @Test(arguments: ["[[0,5],[4,6]]", "[[5,5]]", "[[-1,5]]", "[[6,5]]", "[[5]]", "[[]]", "[[0,5,1,1]]"])
    func spansThatMakeNoSenseAreRefused(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Mirroring.self, from: Data("{\"provenance\":\(text)}".utf8))
        }
    }
}
