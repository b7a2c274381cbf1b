import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A stop request, or a failed answer, at every moment at which a download waits for an answer.
@Suite("A download that is stopped or fails, at every moment")
struct EveryMomentTests {
    private static let endings: [StopOrder] = [
        .release, .cancel(keepingPart: true), .cancel(keepingPart: false),
    ]

    @Test(arguments: DownloadScenario.allCases)
    func completesWhenNothingComesBetween(_ scenario: DownloadScenario) throws {
        var replay = try scenario.replay()
        replay.run()
        #expect(replay.outcome == .completed, "\(replay.log)")
        #expect(scenario == .stream || replay.machine.progress.segments.isDurable)
    }

    @Test(arguments: DownloadScenario.allCases, endings)
    func endsAsAskedUnlessTheRenameIsUnderWay(
        _ scenario: DownloadScenario,
        _ ending: StopOrder
    ) throws {
        let moments = try scenario.moments()
        #expect(moments > 1)
        for moment in 0..<moments {
            var replay = try scenario.replay()
            replay.run(until: moment)
            let isTooLate = replay.isBeyondReturn
            replay.hand(.ask(ending))
            replay.run()
            let expected = isTooLate ? .completed : AttemptOutcome(ending)
            #expect(replay.outcome == expected, "\(scenario), moment \(moment): \(replay.log)")
            replay.expectHonestClaims("\(scenario), moment \(moment)")
            if case .cancel(keepingPart: false) = ending, !isTooLate {
                #expect(replay.claimedPart == nil, "\(scenario), moment \(moment)")
            }
        }
    }

    @Test(arguments: DownloadScenario.allCases)
    func endsWithTheProblemWhicheverFileOperationFails(_ scenario: DownloadScenario) throws {
        let problem = Problem.transient(.storageFault, "The disk failed.")
        for moment in 0..<(try scenario.moments()) {
            var replay = try scenario.replay()
            replay.run(until: moment)
            guard let operation = replay.pendingOperation else { continue }
            replay.fail(operation, problem)
            replay.run()
            #expect(replay.outcome == .failed(problem), "\(scenario), moment \(moment): \(replay.log)")
            replay.expectHonestClaims("\(scenario), moment \(moment)")
        }
    }

    @Test(arguments: DownloadScenario.allCases, endings)
    func endsAsAskedEvenWhenTheFileOperationThenFails(
        _ scenario: DownloadScenario,
        _ ending: StopOrder
    ) throws {
        let problem = Problem.transient(.storageFault, "The disk failed.")
        for moment in 0..<(try scenario.moments()) {
            var replay = try scenario.replay()
            replay.run(until: moment)
            guard let operation = replay.pendingOperation else { continue }
            replay.hand(.ask(ending))
            replay.fail(operation, problem)
            replay.run()
            let isEitherOne =
                replay.outcome == .failed(problem) || replay.outcome == AttemptOutcome(ending)
            #expect(isEitherOne, "\(scenario), moment \(moment): \(replay.log)")
            replay.expectHonestClaims("\(scenario), moment \(moment)")
        }
    }

    @Test(arguments: DownloadScenario.allCases)
    func endsWithTheProblemWhicheverConnectionBreaks(_ scenario: DownloadScenario) throws {
        let problem = Problem.transient(.connectionLost, "The connection broke.")
        for moment in 0..<(try scenario.moments()) {
            var replay = try scenario.replay()
            replay.run(until: moment)
            guard let connection = replay.openConnection else { continue }
            replay.cut(connection, .failed(problem))
            replay.run()
            #expect(replay.outcome == .failed(problem), "\(scenario), moment \(moment): \(replay.log)")
            replay.expectHonestClaims("\(scenario), moment \(moment)")
        }
    }
}
