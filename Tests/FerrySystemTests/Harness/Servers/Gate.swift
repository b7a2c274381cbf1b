import Dispatch

/// Keeps an answer waiting at one place of its body until the test lets it pass.
final class Gate: Sendable {
    private let opening = DispatchSemaphore(value: 0)

    /// Lets it pass, now or when it comes.
    func open() { opening.signal() }

    /// Blocks until the gate is open.
    func pass() {
        opening.wait()
        // For whoever comes next.
        opening.signal()
    }
}
