import FerryCore
import Synchronization

/// Records how far a request has come, over all of its redirects.
final class ExchangeRecord: ExchangeListener {
    private struct State {
        var hasLeft = false
        var answer: RequestMachine.Answer?
    }

    private let state = Mutex(State())

    func requestMayLeave() { state.withLock { $0.hasLeft = true } }

    /// Notes that the head of the answer has arrived. Its body may still be lost.
    func note(_ answer: RequestMachine.Answer) { state.withLock { $0.answer = answer } }

    /// What has become of the request, when `problem` has ended the exchange. Bytes may leave until all its tasks have
    /// ended.
    func end(_ problem: Problem) -> RequestMachine.Event {
        let (hasLeft, answer) = state.withLock { ($0.hasLeft, $0.answer) }
        guard var answer else { return .failed(problem, hasLeft: hasLeft) }
        answer.loss = problem
        return .answered(answer)
    }
}
