import FerryCore
import Synchronization

/// Records how far a request has come, over all of its redirects.
final class ExchangeRecord: ExchangeListener {
    private struct State {
        /// How many requests, of all redirects, may have left.
        var departures = 0
        var answer: RequestMachine.Answer?
    }

    private let state = Mutex(State())
    private let whenBodyLeft: @Sendable (Int64) -> Void

    /// - Parameter whenBodyLeft: called with the number of bytes of the body that the kernel has taken.
    init(whenBodyLeft: @escaping @Sendable (Int64) -> Void) {
        self.whenBodyLeft = whenBodyLeft
    }

    func bodyLeft(upTo count: Int64) { whenBodyLeft(count) }

    func requestMayLeave() { state.withLock { $0.departures += 1 } }

    /// Notes that the head of the answer has arrived. Its body may still be lost.
    func note(_ answer: RequestMachine.Answer) { state.withLock { $0.answer = answer } }

    /// What has become of the request, when its exchange has failed with `problem`. What was saved of an answer then counts no
    /// more, because it may answer only a part of the request.
    func fail(_ problem: Problem) -> RequestMachine.Event {
        state.withLock { $0.answer?.saving = nil }
        return end(problem)
    }

    /// What has become of the request, when `problem` has ended the exchange. Bytes may leave until all its tasks have
    /// ended.
    func end(_ problem: Problem) -> RequestMachine.Event {
        let (departures, answer) = state.withLock { ($0.departures, $0.answer) }
        let hasLeft = departures > (problem.precedesRequest ? 1 : 0)
        guard var answer else { return .failed(problem, hasLeft: hasLeft) }
        answer.loss = problem
        return .answered(answer)
    }
}
