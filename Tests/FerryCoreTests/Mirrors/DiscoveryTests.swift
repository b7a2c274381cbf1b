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

    @Test func whatIsKnownOfAMirrorFollowsItsURL() throws {
        var mirroring = Mirroring()
        _ = mirroring.discover(try discovery(["a", "b", "c"]))
        mirroring.excluded = [
            SourceID(rawValue: 1): .length, .discovered(at: 0): .wrongBytes, .discovered(at: 2): .digest,
        ]
        var board = SourceBoard()
        board.refusals = [.own: 9, .discovered(at: 0): 1, .discovered(at: 2): 3]
        board.renumber(mirroring.discover(try discovery(["c", "d"])))
        #expect(mirroring.excluded == [SourceID(rawValue: 1): .length, .discovered(at: 0): .digest])
        #expect(board.refusals == [.own: 9, .discovered(at: 0): 3])
        #expect(mirroring.discover(nil).isEmpty && mirroring.discovered.isEmpty)
        #expect(mirroring.excluded == [SourceID(rawValue: 1): .length])
    }

    @Test func itsDigestCountsForWhatItsMirrorsGaveAndForNothingElse() throws {
        var mirroring = Mirroring()
        _ = mirroring.discover(try discovery(["a"]))
        mirroring.provenance.note(0..<10, from: SourceID(rawValue: 1))
        #expect(mirroring.vouched == nil)
        mirroring.provenance.note(10..<20, from: .discovered(at: 0))
        #expect(mirroring.vouched == digest)
        mirroring.provenance.note(10..<20, from: nil)
        #expect(mirroring.vouched == digest, "it may have been one of them")
        mirroring.forgetBytes()
        #expect(mirroring.vouched == nil && mirroring.discovery != nil)
        mirroring.lead = .discovered(at: 0)
        #expect(mirroring.vouched == digest)
        mirroring.lead = SourceID(rawValue: 1)
        mirroring.excluded[.own] = .wrongBytes
        #expect(mirroring.vouched == digest, "the server's own bytes did not have it")
    }

    @Test func mirrorsThatWereStoredWithoutTheirDigestAreDropped() throws {
        let row = #"{"lead":1000,"discovered":["https://a.example/f"],"excluded":[],"repairs":1}"#
        let mirroring = try JSONDecoder().decode(Mirroring.self, from: Data(row.utf8))
        #expect(mirroring.discovery == nil && mirroring.lead == .discovered(at: 0) && mirroring.repairs == 1)
        var now = Mirroring()
        _ = now.discover(try discovery(["a"]))
        let again = try JSONDecoder().decode(Mirroring.self, from: try JSONEncoder().encode(now))
        #expect(again == now)
    }

    @Test func bytesWhoseLeadIsNotKnownAnyMoreAreFetchedAgain() throws {
        let specification = DownloadSpecification(
            url: try mirror("own"),
            destination: .file(directory: "/d", name: .fallback)
        )
        var checkpoint = Checkpoint()
        checkpoint.segments = SegmentMap(length: 1000)
        checkpoint.segments.advance(0, writtenTo: 400)
        checkpoint.mirroring.lead = .discovered(at: 0)
        for isKnown in [false, true] {
            if isKnown { _ = checkpoint.mirroring.discover(try discovery(["a"])) }
            let machine = DownloadMachine(
                specification,
                from: checkpoint,
                boot: DownloadStory.boot,
                at: .epoch
            )
            #expect(machine.checkpoint.segments.received == (isKnown ? 400 : 0))
            #expect(machine.checkpoint.mirroring.lead == (isKnown ? .discovered(at: 0) : .own))
        }
    }
}
