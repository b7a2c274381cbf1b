import Testing

@testable import FerryIO

@Suite struct PartFileLedgerTests {
    @Test func isNotSynchronizedByASyncThatBeganDuringAWrite() {
        var ledger = PartFileLedger()
        expect(ledger.begin(changing: true), true)
        let seen = ledger.changes
        // The sync returns, and then the write, of which the sync may have seen nothing.
        ledger.noteSynchronization(ofChanges: seen, succeeded: true)
        #expect(!ledger.isSynchronized)
        expect(ledger.end(changing: true), false)
        #expect(!ledger.isSynchronized)
        ledger.noteSynchronization(ofChanges: ledger.changes, succeeded: true)
        #expect(ledger.isSynchronized)
    }

    @Test func isNeverSynchronizedAgainAfterAFailure() {
        var ledger = PartFileLedger()
        ledger.noteSynchronization(ofChanges: ledger.changes, succeeded: false)
        ledger.noteSynchronization(ofChanges: ledger.changes, succeeded: true)
        #expect(!ledger.isSynchronized)
    }

    @Test func isNotSetBackByAnOlderSyncThatEndsLater() {
        var ledger = PartFileLedger()
        _ = ledger.begin(changing: true)
        _ = ledger.end(changing: true)
        ledger.noteSynchronization(ofChanges: ledger.changes, succeeded: true)
        ledger.noteSynchronization(ofChanges: 0, succeeded: true)
        #expect(ledger.isSynchronized)
    }

    @Test func letsTheDiskBeginOnceInAWhile() {
        var ledger = PartFileLedger()
        let half = Int(PartFileLedger.heldBytes / 2)
        let begins = (0..<5).map { _ in ledger.noteWritten(half, upTo: 0) }
        #expect(begins == [false, true, false, true, false])
    }

    @Test func givesTheDescriptorOutOnceAndWhenNobodyUsesIt() {
        var ledger = PartFileLedger()
        expect(ledger.begin(changing: false), true)
        expect(ledger.begin(changing: true), true)
        expect(ledger.close(), false)
        expect(ledger.begin(changing: false), false)
        expect(ledger.end(changing: false), false)
        expect(ledger.end(changing: true), true)
        expect(ledger.close(), false)
    }

    /// `#expect` cannot call what changes its operand.
    private func expect(_ actual: Bool, _ wanted: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(actual == wanted, sourceLocation: sourceLocation)
    }
}
