import FerryCore
import FerryUploads
import Synchronization

/// Runs one attempt at an upload: performs what the machine orders and feeds back what happened.
final class UploadRunner: SeamRunner {
    private enum Input: Sendable {
        case event(UploadMachine.Event)
        case claimLost
    }

    let context: AttemptContext
    let meter: ProgressMeter
    private let work: UploadWork
    private let pace: Pace
    private let bucket: SharedBucket
    private let exchanges: OpenExchanges
    private let feed = Feed<Input>()
    private let left = UnconfirmedBytes()
    private let finishing: @Sendable () -> Void

    /// - Parameter finishing: called when only the store is left to be waited for.
    init(
        _ work: UploadWork,
        in context: AttemptContext,
        finishing: @escaping @Sendable () -> Void
    ) {
        self.work = work
        self.context = context
        bucket = SharedBucket(work.specification.terms.rateLimit)
        pace = Pace([bucket] + context.rates)
        exchanges = OpenExchanges(executor: context.seams.executor)
        let length = work.progress.source?.length ?? work.specification.file.length
        meter = ProgressMeter(received: work.progress.confirmed, total: length)
        self.finishing = finishing
    }

    var askedURL: HTTPURL { work.specification.url }

    func ask(_ order: StopOrder) { feed.yield(.event(.ask(order))) }

    /// Applies the rate limit. A new URL is for the next attempt.
    func obey(_ orders: AttemptOrders) { bucket.set(orders.rateLimit) }

    func loseClaim() { feed.yield(.claimLost) }

    func tick() {
        meter.sample(at: seams.clock.now)
        hub.publish(progressOf: meter, transfer)
        feed.yield(.event(.tick))
    }

    func run() async -> AttemptReport {
        hub.attach(meter, to: transfer.id)
        return await withDiscardingTaskGroup(returning: AttemptReport.self) { group in
            feed.yield(.event(.begin))
            let end = await exchanges.ending { await loop(&group) }
            group.cancelAll()
            return end
        }
    }

    private func loop(_ group: inout DiscardingTaskGroup) async -> AttemptReport {
        var machine = UploadMachine(work, by: work.specification.protocolName.wire)
        var begun: [UploadMachine.ID: WatchedExchange] = [:]
        while let input = await feed.next() {
            guard case .event(let event) = input else { return .claimLost }
            let actions = machine.handle(event, at: seams.clock.now)
            if let id = event.ended {
                begun[id] = nil
                left.forget(id)
            }
            show(machine.progress)
            for action in actions {
                switch action {
                case .survey(let file): group.addTask { await self.survey(file) }
                case .record(let progress):
                    if let end = await record(.upload(progress), .power) { return end }
                    feed.yield(.event(.recorded))
                case .note(let progress):
                    // What could not be noted is noted the next time.
                    if case .claimLost? = await record(.upload(progress), .process) { return .claimLost }
                case .digest(let id, let file, let range, let algorithm):
                    group.addTask { await self.digest(id, file, range, algorithm) }
                case .send(let id, let request, let file):
                    let watched = network.begin(isReplaceable: request.isRepeatable)
                    begun[id] = watched
                    exchanges.begin(watched) { await self.send(id, request, file, watched) }
                case .cut(let id): begun[id]?.cut(.ordered)
                case .finish(let outcome, let progress):
                    finishing()
                    return .finished(outcome, .upload(progress))
                }
            }
        }
        return .claimLost
    }

    private func show(_ progress: UploadProgress) {
        let total = progress.source?.length ?? work.specification.file.length
        meter.settle([:], received: min(total, progress.confirmed + left.count), total: total)
    }

    // MARK: The file

    private func survey(_ file: PinnedFile) async {
        do throws(Problem) {
            feed.yield(.event(.surveyed(try await seams.bodies.survey(file))))
        } catch {
            feed.yield(.event(.unreadable(error)))
        }
    }

    private func digest(
        _ id: UploadMachine.ID,
        _ file: PinnedFile,
        _ range: Range<Int64>,
        _ algorithm: Checksum.Algorithm
    ) async {
        do throws(Problem) {
            let part = try await seams.bodies.open(StoredBody(file)).part(range)
            let checksums = try await seams.bodies.digests(of: part, by: [algorithm])
            feed.yield(.event(.digested(id, checksums[0])))
        } catch {
            feed.yield(.event(.failed(id, error, hasLeft: false)))
        }
    }

    // MARK: Exchanges

    private func send(
        _ id: UploadMachine.ID,
        _ request: UploadRequest,
        _ file: PinnedFile,
        _ watched: WatchedExchange
    ) async {
        let record = UploadExchange(
            whenLeft: { [left] count in left.note(count, of: id) },
            whenInterim: { [feed] head in
                let answer = UploadAnswer(head.status, head.headers, from: request.url)
                feed.yield(.event(.interim(id, answer)))
            }
        )
        let end = await watched.run { await self.exchange(id, request, file, watched, record) }
        guard case .failed(_, let problem, _) = end else {
            feed.yield(.event(end))
            return
        }
        let loss = watched.loss(meeting: problem)
        feed.yield(.event(.failed(id, loss, hasLeft: record.hasLeft(despite: loss))))
    }

    private func exchange(
        _ id: UploadMachine.ID,
        _ request: UploadRequest,
        _ file: PinnedFile,
        _ watched: WatchedExchange,
        _ record: UploadExchange
    ) async -> UploadMachine.Event {
        func failed(_ problem: Problem) -> UploadMachine.Event { .failed(id, problem, hasLeft: true) }
        do {
            let body: RequestBody =
                switch request.body {
                case .bytes(let bytes): .bytes(bytes)
                case .file(let range): try await seams.bodies.open(StoredBody(file)).part(range)
                }
            let answer = try await UploadSender(
                work.specification,
                configuration,
                seams: seams,
                pace: pace
            ).answer(to: request, carrying: body, in: watched, record)
            // The kernel reads a file until its peer has acknowledged it, and so may have sent what was changed meanwhile.
            try body.check()
            return .answered(id, answer)
        } catch let problem as Problem {
            guard let host = watched.host else { return failed(problem) }
            return failed(await network.judged(problem, of: host, for: transfer.id))
        } catch is CancellationError {
            return failed(.exchangeCut)
        } catch {
            return failed(.unexpected(error, met: "The request"))
        }
    }
}

extension UploadMachine.Event {
    /// The exchange that is over; `nil` for any other event.
    fileprivate var ended: UploadMachine.ID? {
        switch self {
        case .answered(let id, _), .failed(let id, _, _): id
        default: nil
        }
    }
}

/// How many bytes of each part have left that the server has not confirmed yet.
private final class UnconfirmedBytes: Sendable {
    private let counts = Mutex<[UploadMachine.ID: Int64]>([:])

    var count: Int64 { counts.withLock { $0.values.reduce(0, +) } }

    func note(_ count: Int64, of id: UploadMachine.ID) { counts.withLock { $0[id] = count } }

    func forget(_ id: UploadMachine.ID) { counts.withLock { $0[id] = nil } }
}

/// Records how far the request of a step has come.
private final class UploadExchange: ExchangeListener {
    private let departures = Atomic<Int>(0)
    private let whenLeft: @Sendable (Int64) -> Void
    private let whenInterim: @Sendable (ResponseHead) -> Void

    init(
        whenLeft: @escaping @Sendable (Int64) -> Void,
        whenInterim: @escaping @Sendable (ResponseHead) -> Void
    ) {
        (self.whenLeft, self.whenInterim) = (whenLeft, whenInterim)
    }

    func requestMayLeave() { departures.add(1, ordering: .acquiringAndReleasing) }

    func bodyLeft(upTo count: Int64) { whenLeft(count) }

    func received(interim: ResponseHead) { whenInterim(interim) }

    /// Whether bytes of it may have left, when this problem has ended it.
    func hasLeft(despite problem: Problem) -> Bool {
        departures.load(ordering: .acquiring) > (problem.precedesRequest ? 1 : 0)
    }
}
