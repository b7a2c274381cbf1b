import Testing

/// The ledger of effects names what a client does wrong, and nothing else.
@Suite("Ledger of effects")
struct EffectLedgerTests {
    private let ledger = EffectLedger()
    // The first request of each queue.
    private let keyed = 0
    private let keyless = 5
    private let strict = 9

    private func arrives(_ number: Int) {
        ledger.arrives(number, method: "POST", key: CountingPlan.key(of: number))
    }

    @Test("a request without a key that comes again is a violation, unless the server has denied it")
    func repeatedWithoutKey() {
        arrives(keyless)
        ledger.denies(keyless)
        arrives(keyless)
        #expect(ledger.violations.isEmpty)
        arrives(keyless)
        #expect(
            ledger.violations == ["\(keyless): it has no key, may have taken effect, and was repeated"]
        )
    }

    @Test("a person may say once that a request did not arrive")
    func sentAgain() {
        arrives(keyless)
        ledger.allowAgain([keyless])
        arrives(keyless)
        #expect(ledger.violations.isEmpty)
        arrives(keyless)
        #expect(ledger.violations.count == 1)
    }

    @Test("another key, method or body is a violation")
    func another() {
        ledger.arrives(keyed, method: "POST", key: "\"other\"")
        ledger.arrives(keyless, method: "POST", key: "\"some\"")
        ledger.arrives(keyed, method: "PUT", key: CountingPlan.key(of: keyed))
        _ = ledger.take(keyed, body: [1])
        #expect(ledger.violations.count == 4)
    }

    @Test("a strict request that comes before its predecessor took effect is a violation")
    func outOfOrder() {
        arrives(strict)
        ledger.acts(on: strict)
        arrives(strict + 20)
        #expect(ledger.violations == ["\(strict + 20): it came before \(strict + 10) had taken effect"])
        ledger.acts(on: strict + 20)
        #expect(ledger.order == [strict, strict + 20])
    }

    @Test("a key is honoured: while it is handled, and after the effect")
    func honoursKeys() {
        let body = CountingPlan.body(of: keyed)
        arrives(keyed)
        #expect(ledger.take(keyed, body: body) == .fresh)
        arrives(keyed)
        #expect(ledger.take(keyed, body: body) == .twin)
        ledger.releases(keyed)
        arrives(keyed)
        #expect(ledger.take(keyed, body: body) == .fresh)
        ledger.acts(on: keyed)
        arrives(keyed)
        #expect(ledger.take(keyed, body: body) == .repeated)
        #expect(ledger.effects(of: keyed) == 1 && ledger.repeated == 1 && ledger.violations.isEmpty)
    }
}
