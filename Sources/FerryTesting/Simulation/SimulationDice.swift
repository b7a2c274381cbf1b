internal import Synchronization

/// The decisions drawn from a simulation's seed.
final class SimulationDice: Sendable {
    private let random: Mutex<SeededRandom>

    init(seed: UInt64) {
        random = Mutex(SeededRandom(seed: seed))
    }

    /// A number in a range.
    func number(in range: Range<Int>) -> Int {
        random.withLock { .random(in: range, using: &$0) }
    }

    /// Whether an event with this probability in a thousand happens.
    func happens(_ perMille: Int) -> Bool {
        perMille > 0 && number(in: 0..<1000) < perMille
    }

    /// One of several elements.
    func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(in: 0..<elements.count)]
    }

    /// A duration within a range of milliseconds.
    func milliseconds(_ range: Range<Int>) -> Duration {
        .milliseconds(number(in: range))
    }

    /// A generator for a part of the simulation.
    func split() -> SeededRandom {
        random.withLock { $0.split() }
    }
}
