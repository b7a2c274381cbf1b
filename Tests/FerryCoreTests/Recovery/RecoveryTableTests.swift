import FerryCore
import Testing

@Suite("Recovery of a download that is taken over")
struct RecoveryTableTests {
    private static let phases: [DownloadProgress.Phase] = [.receiving, .publishing]

    static let situations: [RecoverySituation] = phases.flatMap { phase in
        RecoverySituation.Part.allCases.flatMap { part in
            RecoverySituation.Final.allCases.flatMap { final in
                [true, false].map {
                    RecoverySituation(phase: phase, part: part, final: final, isSameBoot: $0)
                }
            }
        }
    }

    /// The whole table with nothing under the final name: what is decided in this boot, and in another.
    private static let withoutFinal:
        [(DownloadProgress.Phase, RecoverySituation.Part, RecoveryTable.Decision, RecoveryTable.Decision)] = [
            (.receiving, .neverMade, .begin, .begin),
            (.receiving, .lost, .beginAgain, .beginAgain),
            (.receiving, .unmounted, .awaitDisk, .awaitDisk),
            (.receiving, .ours, .resume(trust: .written), .resume(trust: .durable)),
            (
                .receiving, .oursButShort, .resume(trust: .writtenWithinFile),
                .resume(trust: .durableWithinFile)
            ),
            (.receiving, .oursButChanged, .resumeChanged, .resumeChanged),
            (.publishing, .oursButChanged, .resumeChanged, .resumeChanged),
            (.receiving, .foreignEmpty, .begin, .begin),
            (.receiving, .foreign, .partNameTaken, .partNameTaken),
            (.publishing, .neverMade, .begin, .begin),
            (.publishing, .lost, .beginAgain, .beginAgain),
            (.publishing, .unmounted, .awaitDisk, .awaitDisk),
            (.publishing, .ours, .finishRename, .finishRename),
            (
                .publishing, .oursButShort, .resume(trust: .writtenWithinFile),
                .resume(trust: .durableWithinFile)
            ),
            (.publishing, .foreignEmpty, .begin, .begin),
            (.publishing, .foreign, .partNameTaken, .partNameTaken),
        ]

    @Test func theTableIsTheExpectedOne() throws {
        #expect(Self.situations.count == 2 * 8 * 3 * 2)
        for situation in Self.situations {
            let row = try #require(
                Self.withoutFinal.first { $0.0 == situation.phase && $0.1 == situation.part }
            )
            let free = situation.isSameBoot ? row.2 : row.3
            let expected: RecoveryTable.Decision =
                switch situation.final {
                case .absent: free
                case .ours: situation.phase == .publishing ? .markCompleted : .nameTaken
                case .foreign: .nameTaken
                }
            #expect(RecoveryTable.decide(situation) == expected, "\(situation)")
            #expect(RecoveryTable.decideIgnoringFinal(situation) == free, "\(situation)")
        }
    }

    @Test(arguments: situations)
    func writtenBytesAreTrustedOnlyUnderTheirBoot(_ situation: RecoverySituation) {
        guard !situation.isSameBoot else { return }
        let decisions = [RecoveryTable.decide(situation), RecoveryTable.decideIgnoringFinal(situation)]
        for decision in decisions {
            #expect(decision != .resume(trust: .written) && decision != .resume(trust: .writtenWithinFile))
        }
    }

    @Test(arguments: situations)
    func whatIsNotOursIsNeverWrittenToOrReplacedUnasked(_ situation: RecoverySituation) {
        let decision = RecoveryTable.decide(situation)
        switch situation.final {
        case .foreign: #expect(decision == .nameTaken)
        case .ours:
            let isPublished = situation.phase == .publishing
            #expect(decision == (isPublished ? .markCompleted : .nameTaken))
        case .absent: if situation.part == .foreign { #expect(decision == .partNameTaken) }
        }
        if situation.part == .foreign {
            #expect(
                RecoveryTable.decideIgnoringFinal(situation) == .partNameTaken || situation.final == .ours
            )
        }
    }

    @Test(arguments: situations)
    func bytesAreGoneOnOnlyWhereTheyAre(_ situation: RecoverySituation) {
        switch RecoveryTable.decide(situation) {
        case .resume, .finishRename: #expect(situation.part == .ours || situation.part == .oursButShort)
        case .resumeChanged: #expect(situation.part == .oursButChanged)
        case .begin: #expect(situation.part == .neverMade || situation.part == .foreignEmpty)
        case .beginAgain: #expect(situation.part == .lost)
        case .awaitDisk: #expect(situation.part == .unmounted)
        case .markCompleted, .nameTaken, .partNameTaken: break
        }
        if situation.part == .oursButShort {
            #expect(RecoveryTable.decide(situation) != .finishRename)
            #expect(RecoveryTable.decide(situation) != .resume(trust: .written))
            #expect(RecoveryTable.decide(situation) != .resume(trust: .durable))
        }
    }
}
