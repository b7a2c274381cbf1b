import FerryTesting
import Foundation
import Testing

@testable import FerryCore

struct DiscoveryTests {
    private let digest = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))

    private func mirror(_ name: String) throws -> HTTPURL {
        try HTTPURL(parsing: "https://\(name).example/f")
    }

    private func discovery(_ names: [String]) throws -> Mirroring.Discovery {
        Mirroring.Discovery(digest: digest, length: 1000, mirrors: try names.map(mirror))
    }

    private func id(_ name: String) throws -> SourceID { .mirror(try mirror(name)) }

    @Test func whatIsKnownOfAMirrorStaysWithItsURL() throws {
        var mirroring = Mirroring()
        mirroring.discover(try discovery(["a", "b", "c"]))
        mirroring.excluded = [try id("given"): .length, try id("a"): .wrongBytes, try id("c"): .digest]
        mirroring.discover(try discovery(["c", "d"]))
        #expect(mirroring.excluded == [try id("given"): .length, try id("c"): .digest])
        mirroring.discover(nil)
        #expect(mirroring.excluded == [try id("given"): .length])
        #expect(mirroring.discovered.isEmpty)
    }

    @Test func itsDigestCountsForWhatItsMirrorsGaveAndForNothingElse() throws {
        var mirroring = Mirroring()
        mirroring.discover(try discovery(["a"]))
        mirroring.provenance.note(0..<10, from: try id("given"))
        #expect(mirroring.vouched == nil)
        mirroring.provenance.note(10..<20, from: try id("a"))
        #expect(mirroring.vouched == digest)
        mirroring.provenance.note(10..<20, from: nil)
        #expect(mirroring.vouched == digest, "it may have been one of them")
        mirroring.forgetBytes()
        #expect(mirroring.vouched == nil && mirroring.discovery != nil)
        mirroring.lead = try id("a")
        #expect(mirroring.vouched == digest)
        mirroring.lead = try id("given")
        mirroring.excluded[.own] = .wrongBytes
        #expect(mirroring.vouched == digest, "the server's own bytes did not have it")
    }

    @Test func mirrorsThatWereStoredWithoutTheirDigestAreDropped() throws {
        let row = #"{"lead":1000,"discovered":["https://a.example/f"],"excluded":[],"repairs":1}"#
        let mirroring = try JSONDecoder().decode(Mirroring.self, from: Data(row.utf8))
        #expect(mirroring.discovery == nil && mirroring.lead == .former(1000) && mirroring.repairs == 1)
        var now = Mirroring()
        now.discover(try discovery(["a"]))
        let again = try JSONDecoder().decode(Mirroring.self, from: try JSONEncoder().encode(now))
        #expect(again == now)
    }

    @Test func bytesWhoseLeadIsNotKnownAnyMoreAreFetchedAgain() throws {
        let specification = DownloadSpecification(
            url: try mirror("own"),
            destination: .file(directory: "/d", name: .fallback)
        )
        var progress = DownloadProgress()
        progress.segments = SegmentMap(length: 1000)
        progress.segments.advance(0, writtenTo: 400)
        for isKnown in [false, true] {
            progress.mirroring.lead = isKnown ? try id("a") : .former(1000)
            if isKnown { progress.mirroring.discover(try discovery(["a"])) }
            let machine = DownloadMachine(
                specification,
                from: progress,
                boot: DownloadScenario.boot,
                at: .epoch
            )
            #expect(machine.progress.segments.received == (isKnown ? 400 : 0))
            let lead = isKnown ? try id("a") : .own
            #expect(machine.progress.mirroring.lead == lead)
        }
    }
}
