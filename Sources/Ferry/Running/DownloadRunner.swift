import FerryCore
import Logging
import Synchronization

/// Runs one attempt of a download: performs what the machine orders and feeds back what happened.
final class DownloadRunner: SeamRunner {
    /// The transfer's own URL, which may get a fresh signature while this attempt runs.
    private struct Address {
        /// The URL in the row.
        var recorded: HTTPURL
        /// The same with a fresh signature, for this attempt.
        var fresh: HTTPURL?
        /// The URL in the row at the latest request.
        var asked: HTTPURL
    }

    enum Input: Sendable {
        case event(DownloadEvent)
        case tick
        case sample
        case claimLost
    }

    let context: AttemptContext
    /// The work of the transfer.
    let work: DownloadWork
    /// The options of the transfer. Each look at them in ``work`` would copy all of them.
    let options: DownloadOptions
    let meter: ProgressMeter
    let streams: StreamKeeper
    let hosts: HostConnections
    let names: FinalNames
    /// Its connections.
    let exchanges: OpenExchanges
    /// The transfer's own rate limit.
    let bucket: SharedBucket
    /// Called once when all bytes have arrived, with whether the file is small.
    private let finishing: @Sendable (_ isSmall: Bool) -> Void
    private let isFinishing = Atomic(false)
    /// The pace of all of its connections.
    let pace: Pace
    private let address: Mutex<Address>
    private let renewal: URLRenewal?
    let feed = Feed<Input>()

    init(
        _ work: DownloadWork,
        in context: AttemptContext,
        streams: StreamKeeper,
        hosts: HostConnections,
        names: FinalNames,
        finishing: @escaping @Sendable (_ isSmall: Bool) -> Void
    ) {
        self.work = work
        options = work.specification.options
        self.context = context
        self.streams = streams
        self.hosts = hosts
        self.names = names
        let (seams, configuration) = (context.seams, context.configuration)
        exchanges = OpenExchanges(executor: seams.executor)
        bucket = SharedBucket(options.rateLimit)
        self.finishing = finishing
        pace = Pace([bucket] + context.rates)
        let url = work.specification.url
        address = Mutex(Address(recorded: url, asked: url))
        renewal = configuration.refreshURL.map {
            URLRenewal(
                refresh: $0,
                transfer: context.transfer.id,
                clock: seams.clock,
                logger: configuration.logger
            )
        }
        let segments = work.progress.segments
        meter = ProgressMeter(received: segments.received, total: segments.length)
    }

    /// Whether a limit sets the speed, so that more connections would gain nothing.
    var isHeldBack: Bool { bucket.setsTheSpeed || context.rates.contains(where: \.setsTheSpeed) }

    /// Asks the attempt to end.
    func ask(_ order: StopOrder) {
        feed.yield(.event(.ask(order)))
        interruptStream()
    }

    func tick() { feed.yield(.tick) }

    /// Applies changed orders. The next request uses the new URL; open responses continue.
    func obey(_ orders: AttemptOrders) {
        bucket.set(orders.rateLimit)
        let isChanged = address.withLock { address in
            guard orders.url != address.recorded else { return false }
            (address.recorded, address.fresh) = (orders.url, nil)
            return true
        }
        if isChanged { feed.yield(.event(.readdressed(expiry: expiry(of: orders.url)))) }
    }

    /// When requests with a URL are refused at the latest; `nil` if a fresh one is asked for before.
    private func expiry(of url: HTTPURL) -> Instant? { renewal == nil ? url.expiry : nil }

    /// Uses a fresh URL of the same download.
    private func use(fresh url: HTTPURL) {
        var specification = work.specification
        specification.url = url
        guard specification.identity == work.specification.identity else { return }
        address.withLock { $0.fresh = url }
    }

    /// Begins the attempt. If its URL has expired, a fresh one is asked for first.
    private func begin(in group: inout DiscardingTaskGroup) {
        let url = address.withLock { $0.recorded }
        guard let renewal, url.expiry != nil else {
            feed.yield(.event(.begin))
            return
        }
        group.addTask { [self] in
            var latest: HTTPURL? = url
            if renewal.hasExpired(url) {
                latest = await renewal.fresh(insteadOf: url)
                if let latest { use(fresh: latest) }
            }
            feed.yield(.event(.begin))
            if let latest { await renewal.run(from: latest) { use(fresh: $0) } }
        }
    }

    /// The URL for a request that is sent now.
    func takeURL() -> HTTPURL {
        address.withLock { address in
            address.asked = address.recorded
            return address.fresh ?? address.recorded
        }
    }

    /// The transfer's own URL, as last requested.
    var askedURL: HTTPURL { address.withLock { $0.asked } }

    /// Notes that another owner has the transfer.
    func loseClaim() {
        feed.yield(.claimLost)
        interruptStream()
    }

    /// A reader that does not read must not keep the attempt from ending.
    private func interruptStream() {
        if work.specification.isStream { streams.interrupt(transfer.id) }
    }

    /// Runs the attempt to its end. Until the caller detaches the meter, no other task publishes the transfer.
    func run() async -> AttemptReport {
        hub.attach(meter, to: transfer.id)
        if let absent = await MountPoints(files: seams.files).ofAbsentDisk(of: transfer) {
            return .finished(.failed(.diskBelow(mountPoint: absent.path)), .download(work.progress))
        }
        let performer = ActionPerformer(runner: self)
        // A discarding group keeps nothing of ended children, however many there are.
        let report = await withDiscardingTaskGroup(returning: AttemptReport.self) { group in
            begin(in: &group)
            let report = await exchanges.ending { await loop(performer, &group) }
            group.cancelAll()
            return report
        }
        // Every child and every exchange has released the file.
        await performer.close(keepingStream: report.keepsStream)
        return await withPartAsLeft(report, wasOpen: performer.part != nil)
    }

    /// The report, with the modification time of the part file, which reveals a later change. If the part file was
    /// removed or replaced meanwhile, the report claims no bytes, so that no one is told that they are kept.
    ///
    /// - Parameter wasOpen: whether the attempt had opened the part file, and so had checked it for earlier changes.
    private func withPartAsLeft(_ report: AttemptReport, wasOpen: Bool) async -> AttemptReport {
        guard case .finished(let outcome, .download(var progress)) = report, outcome.leavesPart,
            let claim = progress.part, progress.segments.received > 0,
            case .file(let directory, _) = work.specification.destination, let name = progress.name
        else { return report }
        do {
            let survey = try await seams.files.survey(
                FilePlace(
                    directory: directory,
                    name: name,
                    part: claim.name,
                    root: options.root
                )
            )
            let found = [survey.part, survey.final].compactMap { $0 }.first {
                $0.identity.isSameFile(as: claim.identity)
            }
            if let found {
                if wasOpen { progress.part?.modified = survey.keepsTimes ? found.modified : nil }
                return .finished(outcome, .download(progress))
            }
            // A file on an unmounted disk is not gone.
            guard !claim.isOnAnotherDisk(survey) else { return report }
            progress.forgetFile()
            publishProgress(
                progress,
                notes: [TransferNote(.partFileLost, "The part file is gone, with its bytes.")]
            )
            return .finished(outcome, .download(progress))
        } catch {
            // The directory is unreachable; the file may exist when it can be reached again.
            return report
        }
    }

    private func loop(
        _ performer: ActionPerformer,
        _ group: inout DiscardingTaskGroup
    ) async -> AttemptReport {
        // A stream that this process does not hold open is new, and begins with the first byte.
        let isNewStream = work.specification.isStream && streams.stream(of: transfer.id) == nil
        let progress = isNewStream ? DownloadProgress() : work.progress
        let (traits, isProbed) = await memory(of: progress)
        var machine = DownloadMachine(
            work.specification,
            from: progress,
            traits: traits,
            isProbed: isProbed,
            expiry: expiry(of: askedURL),
            boot: seams.host.boot,
            smallestPiece: configuration.smallestPiece,
            smallLength: configuration.smallLength,
            at: seams.clock.now
        )
        while let input = await feed.next() {
            let event: DownloadEvent
            switch input {
            case .event(let happened): event = happened
            case .tick:
                meter.sample(at: seams.clock.now)
                event = .advanced(meter.watermarks())
            case .sample: event = .sampled(meter.watermarks())
            case .claimLost: return .claimLost
            }
            if case .connectionEnded(let id, _, _) = event { performer.forget(id) }
            let wasFinishing = machine.isFinishing
            let actions = machine.handle(event, at: seams.clock.now)
            let segments = machine.segments
            if machine.isFinishing, !wasFinishing { noteFinishing(of: segments.length ?? .max) }
            meter.settle(event.watermarks, received: segments.received, total: segments.length)
            for action in actions {
                if let report = await performer.perform(action, in: &group) { return report }
            }
            if case .tick = input { publishProgress(machine.progress) }
        }
        return .claimLost
    }

    /// Tells once that all bytes have arrived, so that nothing more is needed of the network.
    func noteFinishing(of length: Int64) {
        guard !isFinishing.exchange(true, ordering: .relaxed) else { return }
        finishing(length < configuration.smallLength)
    }

    /// What is remembered of the server to resume from. A new download does not ask the store.
    private func memory(of progress: DownloadProgress) async -> (traits: ServerTraits, isProbed: Bool) {
        guard progress.segments.received > 0 else { return (ServerTraits(), false) }
        return await memory(of: progress.server ?? work.specification.url.origin)
    }

    /// The known traits of a server, and whether one connection more than its limit is tried.
    func memory(of server: Origin) async -> (traits: ServerTraits, isProbed: Bool) {
        let traits = await traits(of: server)
        let (named, now) = (options.connections, seams.clock.now)
        // A caller who names a number wants to know whether the server still refuses more.
        let isHeldBack = traits.connectionLimit?.holdsBack(named, at: now) == true
        return (traits, isHeldBack && hosts.takeProbe(of: server, at: now))
    }

    /// The known traits of a server; none if they cannot be read.
    private func traits(of server: Origin) async -> ServerTraits {
        do {
            return try await seams.store.traits(of: server, at: seams.clock.now)
        } catch {
            configuration.logger.warning(
                "The traits of a server could not be read.",
                metadata: ["server": "\(server)", "error": "\(error)"]
            )
            return ServerTraits()
        }
    }

    func publishProgress(_ progress: DownloadProgress, notes: [TransferNote] = []) {
        var current = transfer
        current.work.progress = .download(progress)
        hub.publish(current, notes: notes)
    }
}

extension DownloadEvent {
    /// The watermarks that the event carries, if any.
    fileprivate var watermarks: [ConnectionID: Int64] {
        switch self {
        case .advanced(let known), .sampled(let known): known
        default: [:]
        }
    }
}

extension AttemptOutcome {
    /// Whether a part file with bytes may stay. A cancelled download leaves one only if it was to keep it.
    fileprivate var leavesPart: Bool {
        switch self {
        case .completed: false
        case .released, .failed, .cancelled: true
        }
    }
}

extension AttemptReport {
    /// Whether the stream stays open for the next attempt in the same process.
    fileprivate var keepsStream: Bool {
        if case .finished(.failed(let problem), _) = self {
            problem.disposition != .permanent
        } else {
            false
        }
    }
}
