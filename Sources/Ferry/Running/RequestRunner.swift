import FerryCore
import HTTPTypes
import Synchronization

/// Runs one attempt at a request: performs what the machine orders and feeds back what happened.
final class RequestRunner: SeamRunner {
    private enum Input: Sendable {
        case event(RequestMachine.Event)
        case claimLost
    }

    let context: AttemptContext
    let meter: ProgressMeter
    /// The length of a body whose sending takes time; `nil` if only the response counts.
    private let uploadLength: Int64?
    private let work: RequestWork
    private let credentials: CredentialRefresher
    private let pace: Pace
    private let bucket: SharedBucket
    /// Saves the body of the response in a file; `nil` to store it.
    private let saver: ResponseSaver?
    private let exchanges: OpenExchanges
    private let feed = Feed<Input>()
    private let finishing: @Sendable () -> Void

    /// - Parameter finishing: called when only the store is left to be waited for.
    init(
        _ work: RequestWork,
        in context: AttemptContext,
        credentials: CredentialRefresher,
        finishing: @escaping @Sendable () -> Void
    ) {
        self.work = work
        self.context = context
        self.credentials = credentials
        bucket = SharedBucket(work.specification.terms.rateLimit)
        pace = Pace([bucket] + context.rates)
        let seams = context.seams
        saver = work.specification.responseFile.map {
            ResponseSaver($0, of: context.transfer.uuid, files: seams.files, boot: seams.host.boot)
        }
        exchanges = OpenExchanges(executor: seams.executor)
        uploadLength = work.specification.uploadLength
        meter = ProgressMeter(received: 0, total: uploadLength)
        self.finishing = finishing
    }

    var askedURL: HTTPURL { work.specification.url }

    func ask(_ ending: StopOrder) { feed.yield(.event(.ask(ending))) }

    /// Applies the rate limit to the bytes of the answer. A new URL is for the next attempt: this one has already
    /// sent its request.
    func obey(_ orders: AttemptOrders) { bucket.set(orders.rateLimit) }

    func loseClaim() { feed.yield(.claimLost) }

    /// Tells how far an upload has come, also to other processes. Any other request is recorded at its steps only.
    func tick() {
        guard uploadLength != nil else { return }
        meter.sample(at: seams.clock.now)
        hub.publish(progressOf: meter, transfer)
        feed.yield(.event(.left(meter.progress.received)))
    }

    func run() async -> AttemptReport {
        hub.attach(meter, to: transfer.id)
        let report = await withDiscardingTaskGroup(returning: AttemptReport.self) { group in
            feed.yield(.event(.begin))
            let end = await exchanges.ending { await loop(&group) }
            group.cancelAll()
            return end
        }
        await saver?.close()
        return report
    }

    private func loop(_ group: inout DiscardingTaskGroup) async -> AttemptReport {
        let rule = transfer.type.flatMap { configuration.responseRules[$0] }
        var machine = RequestMachine(
            work,
            isRecorded: !credentials.isAvailable && work.isRecordedByClaims,
            isRenewable: credentials.isAvailable,
            rule: rule ?? { _ in nil }
        )
        var present: WatchedExchange?
        while let input = await feed.next() {
            guard case .event(let event) = input else { return .claimLost }
            for action in machine.handle(event, at: seams.clock.now) {
                switch action {
                case .authorise(let message, let isRefused):
                    credentials.find(for: message, of: transfer.id, isRefused: isRefused) { [feed] event in
                        feed.yield(.event(event))
                    }
                case .record(let progress):
                    if let end = await record(progress, .power) { return end }
                    feed.yield(.event(.recorded))
                case .note(let progress):
                    // What could not be noted is noted the next time.
                    if case .claimLost? = await record(progress, .process) { return .claimLost }
                case .send(let message):
                    let watched = network.begin(isReplaceable: work.specification.isRepeatable)
                    present = watched
                    exchanges.begin(watched) { [machine] in
                        await self.send(message, watched) { machine.verdict(on: $0) }
                    }
                case .disconnect: present?.cut(.ordered)
                case .save(let bytes): group.addTask { await self.save(bytes) }
                case .publish(let claim, let length): group.addTask { await self.publish(claim, length) }
                case .finish(let outcome, let progress):
                    finishing()
                    return .finished(outcome, .request(progress))
                }
            }
        }
        return .claimLost
    }

    /// Records the progress, and notes whether the file of the response is claimed with it.
    ///
    /// - Returns: the end of the attempt if it cannot be recorded.
    private func record(_ progress: RequestProgress, _ durability: Durability) async -> AttemptReport? {
        let wasClaimed = saver?.isClaimed ?? false
        // A failed write may still have reached the store. A refused one has not.
        if progress.unsaved != nil { saver?.isClaimed = true }
        let end = await record(.request(progress), durability)
        if case .claimLost? = end { saver?.isClaimed = wasClaimed }
        return end
    }

    /// Writes the stored body of the response into a file, and reports the result.
    private func save(_ bytes: [UInt8]) async {
        guard let saver else { return }
        do throws(StorageProblem) {
            feed.yield(.event(.saved(try await saver.save(bytes))))
        } catch {
            feed.yield(.event(.notSaved(error.problem)))
        }
    }

    /// Gives the file with the response its name, and reports the result.
    private func publish(_ claim: PartFileClaim, _ length: Int64) async {
        guard let saver else { return }
        do throws(StorageProblem) {
            let isPublished = try await saver.publish(claim, length: length)
            feed.yield(.event(isPublished ? .published : .fileLost))
        } catch {
            feed.yield(.event(.notSaved(error.problem)))
        }
    }

    /// Sends the request and reports its end, once. An answer that has arrived counts, whatever else happened
    /// meanwhile.
    private func send(
        _ message: RequestSpecification,
        _ watched: WatchedExchange,
        verdict: @escaping @Sendable (RequestMachine.Answer) -> RequestVerdict
    ) async {
        let record = ExchangeRecord { [meter, uploadLength] count in
            // Small bodies have left at once, and then the response counts.
            if let uploadLength { meter.settle([:], received: count, total: uploadLength) }
        }
        let end = await watched.run { await self.exchange(message, watched, record, verdict) }
        // Bytes may have left, and a head may have come, until the exchange was over.
        let loss = end.loss.map { watched.loss(meeting: $0) }
        feed.yield(.event(loss.map(record.end) ?? end))
    }

    private func sender(of specification: RequestSpecification, _ watched: WatchedExchange) -> RequestSender {
        RequestSender(
            url: specification.url,
            home: specification.url.origin,
            terms: specification.exchange,
            userAgent: configuration.userAgent,
            seams: seams,
            pace: pace,
            keepsRefusals: true,
            watched: watched
        )
    }

    /// The head of an answer, without its body.
    private static func answer(
        _ head: ResponseHead,
        by answerer: RequestSender.Answerer,
        at now: Instant
    ) -> RequestMachine.Answer {
        var answer = RequestMachine.Answer(
            StoredResponse(withoutBody: head),
            retryAfter: RetryAfter.wait(askedBy: head.headers, at: now),
            isRewritten: answerer.isRewritten
        )
        if answerer.isRewritten { answer.target = answerer.url }
        return answer
    }

    private func exchange(
        _ specification: RequestSpecification,
        _ watched: WatchedExchange,
        _ record: ExchangeRecord,
        _ verdict: @escaping @Sendable (RequestMachine.Answer) -> RequestVerdict
    ) async -> RequestMachine.Event {
        let clock = seams.clock
        do {
            try await saver?.check()
            let sent = try await seams.bodies.open(specification.body)
            let event = try await sender(of: specification, watched).withResponse(
                to: specification.method,
                adding: specification.fields,
                key: specification.key?.field,
                body: sent,
                listener: record
            ) { [credentials, saver] head, body, answerer in
                var answer = Self.answer(head, by: answerer, at: clock.now)
                // Only for an application that can give fresh ones. Another origin never had the credentials.
                if credentials.isAvailable,
                    (answerer.hops + [answerer.url]).allSatisfy({ $0.origin == specification.url.origin })
                {
                    answer.refusesCredentials = head.status == 401 && !answerer.isRewritten
                    if head.status != 401 { credentials.noteAccepted(specification) }
                }
                record.note(answer)
                if let saver, specification.isSuccess(head.status) {
                    try await saver.receive(
                        body,
                        in: &answer,
                        keeping: specification.responseLimit,
                        length: head.bodyLength
                    ) { answer in
                        try sent.check()
                        return verdict(answer)
                    }
                    record.note(answer)
                } else {
                    try await answer.response.keep(body, upTo: specification.responseLimit)
                }
                return RequestMachine.Event.answered(answer)
            }
            // What is saved was checked before.
            if case .answered(let answer) = event, answer.saving != nil { return event }
            // The kernel reads a file until its peer has acknowledged it, and so may have sent what was changed meanwhile.
            try sent.check()
            return event
        } catch let problem as StorageProblem {
            return record.fail(problem.problem)
        } catch let problem as Problem {
            guard let host = watched.host else { return record.fail(problem) }
            return record.fail(await network.judged(problem, of: host, for: transfer.id))
        } catch is CancellationError {
            return record.fail(.exchangeCut)
        } catch {
            return record.fail(.unexpected(error, met: "The request"))
        }
    }
}

extension RequestMachine.Event {
    /// Why the exchange ended before the whole answer came; `nil` if it did not.
    fileprivate var loss: Problem? {
        switch self {
        case .failed(let problem, _): problem
        case .answered(let answer): answer.loss
        case .begin, .authorised, .unauthorised, .recorded, .left, .saved, .published, .fileLost, .notSaved,
            .ask:
            nil
        }
    }
}

extension StoredResponse {
    /// Keeps the body, up to a limit.
    fileprivate mutating func keep(_ source: any ResponseBody, upTo limit: Int) async throws {
        let bytes = try await source.collect(upTo: limit + 1)
        body = Array(bytes.prefix(limit))
        isTruncated = bytes.count > limit
    }

    /// The head of an answer. Its body is not there yet.
    fileprivate init(withoutBody head: ResponseHead) {
        let fields = head.headers.map { HeaderField(name: $0.name.rawName, value: $0.value) }
        self.init(status: head.status, fields: fields, body: [], isTruncated: true)
    }
}
