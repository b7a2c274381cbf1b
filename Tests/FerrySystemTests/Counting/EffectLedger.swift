import Synchronization

/// What a server knows of the requests that it got: how often each arrived, how often it took effect, and in which order.
/// It honours keys: a request with a key that has taken effect is answered as before.
final class EffectLedger: Sendable {
    /// What a request is to its server.
    enum Arrival: Hashable, Sendable {
        /// The server may act on it.
        case fresh
        /// The same request has taken effect.
        case repeated
        /// The same request is being handled.
        case twin
    }

    /// What the server knows of one request.
    struct Entry: Sendable {
        /// How often its head arrived.
        var arrivals = 0
        /// How often the server said that it has not acted and will not.
        var denials = 0
        var effects = 0
        /// Whether a request with its key is being handled.
        var isHandled = false
    }

    private struct State {
        var entries: [Int: Entry] = [:]
        var arrivals = 0
        /// Strict requests in the order in which they took effect.
        var order: [Int] = []
        /// Requests of which a person has said that they did not arrive.
        var sentAgain: Set<Int> = []
        var breaches: [String] = []
    }

    private let state = Mutex(State())

    /// How many requests have arrived in all.
    var arrivals: Int { state.withLock { $0.arrivals } }

    /// How often a request took effect.
    func effects(of number: Int) -> Int { state.withLock { $0.entries[number]?.effects ?? 0 } }

    /// How many requests arrived more than once.
    var repeated: Int { state.withLock { $0.entries.values.count { $0.arrivals > 1 } } }

    /// Signs that a rule was broken.
    var violations: [String] { state.withLock { $0.breaches } }

    /// Records that a person has said that these requests did not arrive.
    func allowAgain(_ numbers: some Sequence<Int>) { state.withLock { $0.sentAgain.formUnion(numbers) } }

    /// Records the head of a request.
    func arrives(_ number: Int, method: String, key: String?) {
        state.withLock { state in
            state.arrivals += 1
            if method != "POST" { state.breaches.append("\(number): it came as \(method)") }
            if key != CountingPlan.key(of: number) {
                state.breaches.append("\(number): it came with the key \(key ?? "none")")
            }
            var entry = state.entries[number] ?? Entry()
            if !CountingPlan.line(of: number).hasKey, entry.arrivals > entry.denials,
                state.sentAgain.remove(number) == nil
            {
                state.breaches.append("\(number): it has no key, may have taken effect, and was repeated")
            }
            entry.arrivals += 1
            state.entries[number] = entry
            guard CountingPlan.line(of: number) == .strict else { return }
            for former in stride(from: number - 10, through: 0, by: -10)
            where state.entries[former]?.effects ?? 0 == 0 {
                state.breaches.append("\(number): it came before \(former) had taken effect")
                return
            }
        }
    }

    /// Takes a request whose body has arrived.
    func take(_ number: Int, body: [UInt8]) -> Arrival {
        let isRight = body == CountingPlan.body(of: number)
        return state.withLock { state in
            if !isRight { state.breaches.append("\(number): it came with another body") }
            guard CountingPlan.line(of: number).hasKey, let entry = state.entries[number] else {
                return .fresh
            }
            if entry.effects > 0 { return .repeated }
            if entry.isHandled { return .twin }
            state.entries[number]?.isHandled = true
            return .fresh
        }
    }

    /// A request takes effect.
    func acts(on number: Int) {
        state.withLock { state in
            state.entries[number]?.effects += 1
            state.entries[number]?.isHandled = false
            if CountingPlan.line(of: number) == .strict { state.order.append(number) }
        }
    }

    /// The server has taken a request, and does not act on it.
    func releases(_ number: Int) { state.withLock { $0.entries[number]?.isHandled = false } }

    /// The server says that it does not act on a request, so that the request may come again.
    func denies(_ number: Int) { state.withLock { $0.entries[number]?.denials += 1 } }

    /// Strict requests in the order in which they took effect.
    var order: [Int] { state.withLock { $0.order } }
}
