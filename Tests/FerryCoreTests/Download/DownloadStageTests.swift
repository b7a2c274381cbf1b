import Testing

@testable import FerryCore

@Suite("The stage of an attempt")
struct DownloadStageTests {
    private typealias Stage = DownloadStage

    private static let problem = Stage.Ending.problem(.transient(.connectionLost, "It broke."))
    private static let endings: [Stage.Ending] = [
        problem, .alreadyThere, .asked(.release), .asked(.cancel(keepingPart: true)),
        .asked(.cancel(keepingPart: false)),
    ]
    private static let entry = FileSurvey.Entry(
        identity: FileIdentity(device: 1, inode: 2),
        length: 3,
        kind: .file
    )
    private static let id = ConnectionID(rawValue: 1)
    private static let operations: [Stage.Operation] = [
        .surveying(unopened: nil), .inspecting(entry, isSecondTry: false), .preparing(.resuming),
        .preparing(.finishingRename), .preparing(.receiving(id)), .preparing(.reserving(id, upTo: nil)),
        .preparing(.trimming), .preparing(.quieting(id)), .preparing(.rewinding(nil)), .digesting(.whole),
        .digesting(.pieces(wrongWhole: nil)), .digesting(.doubting(.pieces(wrong: [1], wrongWhole: nil))),
        .digesting(.doubting(.unopened)), .synchronizing,
    ]

    private func isCancellation(_ ending: Stage.Ending) -> Bool {
        if case .asked(.cancel) = ending { true } else { false }
    }

    @Test func theFirstWishCountsAndACancellationAlways() {
        for first in Self.endings {
            for second in Self.endings {
                let expected = isCancellation(second) ? second : first
                for operation in Self.operations {
                    var stage = Stage.busy(operation)
                    stage.insist(on: first)
                    #expect(stage == .busy(operation, then: first))
                    stage.insist(on: second)
                    #expect(stage == .busy(operation, then: expected))
                }
                var stage = Stage.stopping(first)
                stage.insist(on: second)
                #expect(stage == .stopping(expected))
            }
        }
    }

    @Test func whereNothingIsAwaitedNoWishIsKept() {
        for ending in Self.endings {
            for stage in [Stage.idle(decodedBytesLost: 0), .transferring, .publishing, .ended] {
                var other = stage
                other.insist(on: ending)
                #expect(other == stage && other.ending == nil)
            }
        }
    }

    @Test func aWishOutlastsTheStepFromQuietToEmpty() {
        var stage = Stage.busy(.preparing(.quieting(Self.id)))
        stage.insist(on: .asked(.release))
        stage.prepare(.rewinding(Self.id))
        #expect(stage == .busy(.preparing(.rewinding(Self.id)), then: .asked(.release)))
        #expect(stage.preparesFor == Self.id)
    }

    @Test func numbersAreTriedOneAfterTheOtherUntilTheyEnd() {
        var numbering = NameNumbering.unused
        var name = FileName.fallback
        for number in 1...NameNumbering.limit {
            let next = numbering.next(after: name)
            #expect(next == FileName.fallback.numbered(number))
            name = next ?? name
        }
        let none = numbering.next(after: name)
        #expect(none == nil)
    }
}
