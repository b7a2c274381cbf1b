import Dispatch

/// Holds an answer at one place of its body until the test opens the gate.
final class Gate: Sendable {
    private let opening = DispatchSemaphore(value: 0)

    /// Lets the answer pass, now or when it arrives at the gate.
    func open() { opening.signal() }

    /// Blocks until the gate is open.
    func pass() {
        opening.wait()
        // Leaves the gate open for the next answer.
        opening.signal()
    }
}
