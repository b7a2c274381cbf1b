import FerryTesting
import Foundation
import Testing

@testable import FerryCore

/// What is known of the sources of a download is known by their URLs, in a stored row too.
struct StoredMirroringTests {
    private let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))

    private func url(_ text: String) throws -> HTTPURL { try HTTPURL(parsing: text) }

    private func decode(_ text: String) throws -> Mirroring {
        try JSONDecoder().decode(Mirroring.self, from: Data(text.utf8))
    }

    private func again(_ mirroring: Mirroring) throws -> Mirroring {
        try JSONDecoder().decode(Mirroring.self, from: JSONEncoder().encode(mirroring))
    }

    @Test(arguments: UInt64(0)..<100)
    func isReadBackAsItWasWritten(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let all: [SourceID] = [
            .own, .mirror("https://a.example/f"), .mirror("https://b.example/f"), .former(1), .former(1001),
            .otherTool,
        ]
        func some() -> [SourceID] { all.filter { _ in Bool.random(using: &random) } }
        var mirroring = Mirroring()
        mirroring.lead = all[Int.random(in: 0..<all.count, using: &random)]
        for source in some() {
            mirroring.versions[source] = Mirroring.Version(source: "https://\(seed).example/\(source)")
        }
        for source in some() { mirroring.excluded[source] = .digest }
        mirroring.sharing = Set(some())
        for (place, source) in (some() as [SourceID?] + [nil]).enumerated() {
            mirroring.provenance.note(Int64(place * 10)..<Int64(place * 10 + 5), from: source)
        }
        for (place, source) in some().enumerated() {
            mirroring.note(compared: Junction(offset: Int64(place * 10), before: source, after: all[place]))
        }
        #expect(try again(mirroring) == mirroring)
        #expect(try again(again(mirroring)) == mirroring)
    }

    @Test(arguments: ["[[1]]", "[[1,0]]", "[[1,0,1,2]]", "[1]"])
    func comparisonsThatMakeNoSenseAreRefused(text: String) {
        #expect(throws: DecodingError.self) { try decode("{\"names\":[],\"compared\":\(text)}") }
    }

    @Test func aRecordOfAnOlderFerryHasComparedNothing() throws {
        #expect(try decode(#"{"names":["https://a.example/f"],"provenance":[[0,5,1]]}"#).compared.isEmpty)
    }

    @Test func forgetsWhatWasComparedWithDroppedBytes() {
        var mirroring = Mirroring()
        let other = SourceID.mirror("https://a.example/f")
        for offset in [Int64(5), 10, 20, 21] {
            mirroring.note(compared: Junction(offset: offset, before: .own, after: other))
        }
        mirroring.forget(10..<20)
        #expect(mirroring.compared.map(\.offset).sorted() == [5, 21])
    }

    @Test func keepsWhereAnotherToolWasComparedWithoutTheSecretsOfMirrors() throws {
        let mirror = try url("https://a.example/f?token=s3cret")
        var options = DownloadOptions()
        options.mirrors = [mirror]
        var work = DownloadWork(
            DownloadSpecification(
                url: try url("https://b.example/f"),
                destination: .file(directory: "/d", name: nil),
                options: options
            )
        )
        let other = SourceID.mirror(mirror)
        for (offset, before, after) in [
            (0, .own, .otherTool), (9, .otherTool, other), (20, other, .own),
        ] as [(Int64, SourceID, SourceID)] {
            work.progress.mirroring.note(compared: Junction(offset: offset, before: before, after: after))
        }
        work.dropSecrets()
        let kept = work.progress.mirroring
        #expect(kept.placesOfOtherTool == 2 && kept.compared.map(\.offset).sorted() == [0, 9])
        #expect(!"\(kept)".contains("s3cret"))
    }

    @Test func remembersAComparisonAtBothEndsOfEverySpan() {
        var mirroring = Mirroring()
        let other = SourceID.mirror("https://a.example/f")
        for place in 0..<Int64(Provenance.mostSpans) {
            mirroring.note(compared: Junction(offset: 4 * place + 1, before: .own, after: other))
            mirroring.note(compared: Junction(offset: 4 * place + 2, before: other, after: .own))
        }
        #expect(mirroring.compared.count == 2 * Provenance.mostSpans)
    }

    @Test func namesEachMirrorOnceHoweverManySpansItGave() throws {
        var mirroring = Mirroring()
        for place in 0..<Int64(400) {
            let name = "https://\(place % 2 == 0 ? "even" : "odd").example/file"
            mirroring.provenance.note(place..<(place + 1), from: .mirror(name))
        }
        let text = String(decoding: try JSONEncoder().encode(mirroring), as: UTF8.self)
        #expect(text.components(separatedBy: "odd.example").count == 2)
        #expect(try again(mirroring) == mirroring)
    }

    @Test func whatAnOlderFerryWroteByNumberIsRead() throws {
        let stored = String(decoding: try JSONEncoder().encode(digest), as: UTF8.self)
        let row = """
            {"lead":1,"discovery":{"digest":\(stored),"mirrors":["https://named.example/f"]},
            "versions":[0,{"validator":{}},1000,{"validator":{}}],"excluded":[2,"length",1000,"digest"],
            "provenance":[[0,10,1],[10,20,1000],[20,30,0],[30,40]],"isAlone":true,"repairs":2}
            """
        let mirroring = try decode(row)
        let named = SourceID.mirror(try url("https://named.example/f"))
        #expect(mirroring.lead == .former(1) && mirroring.isAlone && mirroring.repairs == 2)
        #expect(Set(mirroring.versions.keys) == [.own, named])
        #expect(mirroring.excluded == [.former(2): .length, named: .digest])
        #expect(mirroring.provenance.spans.map(\.source) == [.former(1), named, .own, nil])
        #expect(try again(mirroring) == mirroring)
    }

    @Test func numbersThatStandForNothingAreNoTrap() throws {
        for row in [
            #"{"names":["https://a.example/f"],"lead":2}"#, #"{"names":[],"lead":-9223372036854775807}"#,
            #"{"lead":9223372036854775807}"#, #"{"lead":-9223372036854775808}"#,
            #"{"names":[],"provenance":[[0,1,9223372036854775807]]}"#,
        ] {
            let mirroring = try decode(row)
            #expect(try again(mirroring) == mirroring)
        }
    }

    @Test func aMirrorIsTheSameHoweverItIsSignedAndWhoeverNamedIt() throws {
        let former = try url("https://me:pw@a.example/f?X-Amz-Signature=1&X-Amz-Date=2#top")
        let later = try url("https://a.example/f?X-Amz-Signature=3&X-Amz-Date=4")
        #expect(SourceID.mirror(former) == .mirror(later))
        #expect(
            SourceID.mirror(try url("https://a.example/f?v=1")) != .mirror(try url("https://a.example/f?v=2"))
        )
        var specification = DownloadSpecification(
            url: try url("https://own.example/f"),
            destination: .file(directory: "/d", name: .fallback)
        )
        specification.options.mirrors = [later, former]
        var mirroring = Mirroring()
        mirroring.discovery = .init(
            digest: digest,
            length: nil,
            mirrors: [former, try url("https://b.example/f")]
        )
        let sources = SourceList(specification, mirroring)
        #expect(sources.ids == [.own, .mirror(later), .mirror("https://b.example/f")])
        #expect(sources[.mirror(former)] == later, "the first one counts")
    }

    @Test func theOrderOfMirrorsMovesNoMemory() throws {
        let urls = try ["a", "b", "c"].map { try url("https://\($0).example/f") }
        var mirroring = Mirroring()
        mirroring.excluded = [.mirror(urls[1]): .wrongBytes]
        var specification = DownloadSpecification(
            url: try url("https://own.example/f"),
            destination: .file(directory: "/d", name: .fallback)
        )
        for order in [[0, 1, 2], [1, 0], [2, 1, 0], [2, 0]] {
            specification.options.mirrors = order.map { urls[$0] }
            let sources = SourceList(specification, mirroring)
            let out = sources.ids.filter { mirroring.excluded[$0] != nil }.compactMap { sources[$0] }
            #expect(out == (order.contains(1) ? [urls[1]] : []))
        }
    }

    @Test func anotherURLOfTheDownloadIsNotBlamedForTheFormerOne() throws {
        var mirroring = Mirroring()
        mirroring.excluded = [.own: .wrongBytes]
        mirroring.provenance.note(0..<10, from: .own)
        let former = try url("https://own.example/f")
        mirroring.replaceOwn(former)
        #expect(mirroring.excluded == [.mirror(former): .wrongBytes])
        #expect(mirroring.provenance.sources(of: 0..<10) == [.mirror(former)])
    }
}
