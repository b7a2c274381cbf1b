import FerryCore
import Testing

/// The words for states and conditions, which stand in stores, in JSON and on command lines.
struct StateNameTests {
    @Test func theWordsForStatesNeverChange() {
        let words = ["queued", "active", "waiting", "paused", "completed", "failed", "cancelled"]
        #expect(TransferState.Name.allCases.map(\.rawValue) == words)
        #expect(TransferState.Name.allCases.map { "\($0)" } == words)
    }

    @Test func afterAFinalStateNothingHappensByItselfAndOnlyAFailedTransferMayRunAgain() {
        #expect(TransferState.Name.allCases.filter(\.isFinal) == [.completed, .failed, .cancelled])
        #expect(TransferState.Name.allCases.filter(\.isOver) == [.completed, .cancelled])
    }

    @Test func theWordsForConditionsNeverChange() {
        let words = [
            "retry", "network", "dependency", "applicationInactive", "diskSpace", "diskMount", "newURL",
            "window",
        ]
        #expect(WaitCondition.Name.allCases.map(\.rawValue) == words)
        #expect(WaitCondition.Name.allCases.map { "\($0)" } == words)
    }
}
