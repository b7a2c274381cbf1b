import Synchronization

/// What happens to an attempt, in order, until its loop takes it. Any task adds to it, and one task takes from it.
///
/// It does what an `AsyncStream` does with one iterator, but faster: that one is generic code of the standard library, for
/// elements of any size.
final class Feed<Element: Sendable>: Sendable {
    private struct State {
        /// What has not been taken yet.
        var elements: [Element] = []
        /// The task that waits for an element. Then there are none.
        var waiting: CheckedContinuation<Element?, Never>?
        /// Whether the task that takes was cancelled. From then on, nothing is added.
        var isOver = false
    }

    private let state = Mutex(State())

    /// Adds an element.
    func yield(_ element: Element) {
        let waiting = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            if state.waiting == nil, !state.isOver { state.elements.append(element) }
            return state.waiting.take()
        }
        waiting?.resume(returning: element)
    }

    /// The next element, as soon as there is one. For a cancelled task, what was added before; then `nil`.
    func next() async -> Element? {
        // Often the loop has added it itself.
        if let element = take() { return element }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    precondition(state.waiting == nil, "one task takes from a feed")
                    let isReady = state.isOver || !state.elements.isEmpty
                    if !isReady { state.waiting = continuation }
                    return isReady
                }
                if isReady { continuation.resume(returning: take()) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Element?, Never>? in
                state.isOver = true
                return state.waiting.take()
            }
            waiting?.resume(returning: nil)
        }
    }

    private func take() -> Element? {
        state.withLock { state in
            if Task.isCancelled { state.isOver = true }
            return state.elements.isEmpty ? nil : state.elements.removeFirst()
        }
    }
}
