import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// At every moment at which a download waits for an answer somebody asks for its end, or the answer is a failure.
@Suite("A download that is stopped, or fails, at every moment of its way")
struct EveryMomentTests {
    private static let endings: [AttemptEnding] = [
        .release, .cancel(keepingPart: true), .cancel(keepingPart: false),
    ]

    @Test(arguments: DownloadStory.allCases)
    func completesWhenNothingComesBetween(_ story: DownloadStory) throws {
        var telling = try story.telling()
        telling.run()
        #expect(telling.outcome == .completed, "\(telling.log)")
        #expect(story == .stream || telling.machine.checkpoint.segments.isDurable)
    }

    @Test(arguments: DownloadStory.allCases, endings)
    func endsAsAskedUnlessTheRenameIsUnderWay(
        _ story: DownloadStory,
        _ ending: AttemptEnding
    ) throws {
        let moments = try story.moments()
        #expect(moments > 1)
        for moment in 0..<moments {
            var telling = try story.telling()
            telling.run(until: moment)
            let isTooLate = telling.isBeyondReturn
            telling.hand(.ask(ending))
            telling.run()
            let expected = isTooLate ? .completed : AttemptOutcome(ending)
            #expect(telling.outcome == expected, "\(story), moment \(moment): \(telling.log)")
            telling.expectHonestClaims("\(story), moment \(moment)")
            if case .cancel(keepingPart: false) = ending, !isTooLate {
                #expect(telling.claimedPart == nil, "\(story), moment \(moment)")
            }
        }
    }

    @Test(arguments: DownloadStory.allCases)
    func endsWithTheProblemWhicheverFileOperationFails(_ story: DownloadStory) throws {
        let problem = Problem.transient(.storageFault, "The disk failed.")
        for moment in 0..<(try story.moments()) {
            var telling = try story.telling()
            telling.run(until: moment)
            guard let operation = telling.pendingOperation else { continue }
            telling.fail(operation, problem)
            telling.run()
            #expect(telling.outcome == .failed(problem), "\(story), moment \(moment): \(telling.log)")
            telling.expectHonestClaims("\(story), moment \(moment)")
        }
    }

    @Test(arguments: DownloadStory.allCases, endings)
    func endsAsAskedEvenWhenTheFileOperationThenFails(
        _ story: DownloadStory,
        _ ending: AttemptEnding
    ) throws {
        let problem = Problem.transient(.storageFault, "The disk failed.")
        for moment in 0..<(try story.moments()) {
            var telling = try story.telling()
            telling.run(until: moment)
            guard let operation = telling.pendingOperation else { continue }
            telling.hand(.ask(ending))
            telling.fail(operation, problem)
            telling.run()
            let isEitherOne =
                telling.outcome == .failed(problem) || telling.outcome == AttemptOutcome(ending)
            #expect(isEitherOne, "\(story), moment \(moment): \(telling.log)")
            telling.expectHonestClaims("\(story), moment \(moment)")
        }
    }

    @Test(arguments: DownloadStory.allCases)
    func endsWithTheProblemWhicheverConnectionBreaks(_ story: DownloadStory) throws {
        let problem = Problem.transient(.connectionLost, "The connection broke.")
        for moment in 0..<(try story.moments()) {
            var telling = try story.telling()
            telling.run(until: moment)
            guard let connection = telling.openConnection else { continue }
            telling.cut(connection, .failed(problem))
            telling.run()
            #expect(telling.outcome == .failed(problem), "\(story), moment \(moment): \(telling.log)")
            telling.expectHonestClaims("\(story), moment \(moment)")
        }
    }
}
