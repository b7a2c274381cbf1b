internal import FerryCore
internal import NIOCore
internal import Synchronization

/// Writes a body to a sink on I/O threads, while the network delivers the next bytes, or on the event loop where
/// ``LoopWriting`` allows it.
///
/// The event loop puts parts into a ``BodyQueue`` and continues. A job on a thread takes all waiting parts
/// and writes them in order. There is never more than one such job, so the sink sees one write at a time.
/// When the queue is full, the event loop gets a future instead, and does not read the socket until it
/// completes.
final class BodyWriter: BodyConsumer {
    /// The number of bytes written, once the body has ended and all of it is in the sink. It resolves only after the last
    /// write, so that the sink may then be closed.
    let count = AwaitedResult<Int64>()

    private struct State {
        var queue: BodyQueue
        var loopWriting = LoopWriting()
        /// The promise that holds the connection back.
        var hold: EventLoopPromise<Void>?
    }

    private let exchange: Exchange
    private let directory: ExchangeDirectory
    private let sink: any ByteSink
    private let threads: IOThreads
    private let progress: @Sendable (Int64) -> Void
    private let state: Mutex<State>

    /// - Parameters:
    ///   - exchange: fails when the sink does.
    ///   - directory: the running exchanges, this one among them.
    init(
        of exchange: Exchange,
        in directory: ExchangeDirectory,
        sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        buffers: BufferPlan,
        threads: IOThreads,
        progress: @escaping @Sendable (Int64) -> Void
    ) {
        self.exchange = exchange
        self.directory = directory
        self.sink = sink
        self.threads = threads
        self.progress = progress
        state = Mutex(State(queue: BodyQueue(at: offset, limit: limit, bound: bound, plan: buffers)))
    }

    func accept(_ part: ByteBuffer, on loop: any EventLoop) -> BodyDemand {
        let (admission, hold) = state.withLock { state -> (BodyQueue.Admission, EventLoopPromise<Void>?) in
            let admission = state.queue.admit(part)
            if case .queued(_, isFull: true) = admission, state.hold == nil {
                state.hold = loop.makePromise()
            }
            return (admission, state.hold)
        }
        switch admission {
        case .queued(let startsDraining, _):
            if startsDraining { startDraining() }
            return hold.map { .later($0.futureResult) } ?? .more
        case .last(let startsDraining):
            if startsDraining { startDraining() } else { settle { _ in } }
            return .enough
        case .tooLong:
            return .never(exchange.tooLong)
        case .refused(let error):
            return .never(error)
        }
    }

    func end() {
        settle { $0.end() }
    }

    func breakOff(_ error: any Error) {
        settle { $0.breakOff(error) }
    }

    func fail(_ error: any Error) {
        settle { $0.fail(error) }
    }

    /// Writes the waiting parts on this event loop if that harms nothing, and otherwise on a thread.
    private func startDraining() {
        let isHere = state.withLock { state in
            state.loopWriting.isAllowed(to: sink, isAlone: directory.hasOnlyOne)
        }
        guard isHere else { return drainSoon() }
        let start = NIODeadline.now()
        drain()
        let time = NIODeadline.now() - start
        state.withLock { $0.loopWriting.took(time) }
    }

    private func drainSoon() {
        threads.submit { isRunning in
            if isRunning {
                self.drain()
            } else {
                self.stop(IOThreads.Stopped())
            }
        }
    }

    /// Writes the waiting parts, then gives the thread to other bodies before it writes more of this one.
    private func drain() {
        guard let batch = state.withLock({ $0.queue.nextBatch() }) else { return settle { _ in } }
        do throws(StorageProblem) {
            var offset = batch.offset
            for part in batch.parts {
                try sink.write(part.readableBytesSpan, at: offset)
                offset += Int64(part.readableBytes)
                progress(offset)
            }
        } catch {
            return stop(error)
        }
        if settle({ $0.wrote(batch.count) }) { drainSoon() }
    }

    private func stop(_ error: any Error) {
        exchange.fail(error)
        settle {
            $0.fail(error)
            // The queue is empty, so this ends the draining.
            _ = $0.nextBatch()
        }
    }

    /// Changes the queue, then acts on it: reports the result, releases the connection.
    private func settle<Answer: Sendable>(_ change: (inout BodyQueue) -> Answer) -> Answer {
        typealias Consequence = (Answer, Result<Int64, any Error>?, EventLoopPromise<Void>?)
        let (answer, result, released) = state.withLock { state -> Consequence in
            let answer = change(&state.queue)
            var released: EventLoopPromise<Void>?
            if !state.queue.isFull || state.queue.hasFailed {
                released = state.hold
                state.hold = nil
            }
            return (answer, state.queue.result, released)
        }
        released?.succeed()
        if let result { count.resolve(result) }
        return answer
    }
}
