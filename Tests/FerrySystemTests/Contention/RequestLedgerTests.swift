import Testing

/// The ledger names a fault of the clients, and takes nothing else for one.
@Suite("Ledger of requests")
struct RequestLedgerTests {
    private let ledger = RequestLedger(of: ContentionPlan(count: 240))
    /// A file that stands in the usual queue and waits for no other.
    private let path = "/file-0"

    private func serve(isLeftBehind: Bool = false, isServed: Bool = true) {
        let number = ledger.begin(path) { isLeftBehind }
        ledger.answers(path, number)
        ledger.end(path, number, isServed: isServed)
    }

    private func kill() {
        ledger.killBegins()
        ledger.killIsOver()
    }

    @Test("a repeated request without a kill is a violation")
    func repeatedWithoutAKill() {
        kill()
        serve(isServed: false)
        serve()
        #expect(ledger.violations == ["\(path): it was asked for again although no process had been killed"])
    }

    @Test("a repeated request after a kill is none")
    func repeatedAfterAKill() {
        serve(isServed: false)
        kill()
        serve()
        #expect(ledger.violations.isEmpty)
    }

    @Test(
        "a request of a killed client that is read only after its death proves nothing",
        arguments: [false, true]
    )
    func readAfterTheDeath(isReadLast: Bool) {
        kill()
        if !isReadLast { serve(isLeftBehind: true, isServed: false) }
        serve()
        if isReadLast { serve(isLeftBehind: true, isServed: false) }
        #expect(ledger.violations.isEmpty)
    }

    @Test("two clients that get one file at once are a violation")
    func twoAtOnce() {
        let first = ledger.begin(path)
        kill()
        let second = ledger.begin(path)
        for number in [first, second] { ledger.end(path, number, isServed: true) }
        #expect(ledger.violations == ["\(path): it was asked for while another client was getting it"])
    }

    @Test("one request more than the narrow queue has slots is a violation, unless its client is dead")
    func beyondTheSlots() {
        for number in 0..<ContentionPlan.narrowSlots { _ = ledger.begin("/file-\(3 * number + 1)") }
        _ = ledger.begin("/file-31") { true }
        #expect(ledger.violations.isEmpty)
        _ = ledger.begin("/file-31")
        #expect(
            ledger.violations == ["/file-31: it was begun beside \(ContentionPlan.narrowSlots) of its queue"]
        )
    }
}
