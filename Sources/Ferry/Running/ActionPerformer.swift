import FerryCore
import HTTPTypes
import Logging

/// Performs the actions of one attempt in order. Long actions run beside the loop, in the attempt's task group.
///
/// Only the loop uses it. It is not a value, because each of its steps would copy it.
final class ActionPerformer {
    let runner: DownloadRunner
    var part: (any PartFile)?
    /// The part file that was created with the latest survey, until it is ordered; or why it could not be created. `body` is the
    /// connection whose body it already holds.
    var prepared: (place: FilePlace, part: Result<any PartFile, StorageProblem>, body: ConnectionID?)?
    /// The connection whose body the open part file already holds, until that body is ordered.
    var written: ConnectionID?
    private var controls: [ConnectionID: ConnectionControl] = [:]
    /// What the open connections were asked for, by which the log names them. Empty unless it is kept.
    private var ranges: [ConnectionID: String] = [:]
    private(set) var latest: DownloadProgress
    /// The limits of servers that were logged.
    private var limitNews = LimitNews()
    /// The content codings of bodies that are about to be received.
    private var codings: [ConnectionID: ContentCoding] = [:]

    init(runner: DownloadRunner) {
        self.runner = runner
        latest = runner.work.progress
    }

    var seams: EngineSeams { runner.seams }

    /// Performs one action; returns the report of the attempt if the action was the last.
    func perform(
        _ action: DownloadAction,
        in group: inout DiscardingTaskGroup
    ) async -> AttemptReport? {
        switch action {
        case .survey(let place, let creating): await survey(place, creating: creating)
        case .createPart(let place): await createPart(at: place)
        case .namePart: await namePart()
        case .openPart(let place, let identity): await openPart(at: place, identity)
        case .adopt(let place, let identity): await adopt(at: place, identity)
        case .giveBack(let place, let identity, let adoption): await giveBack(at: place, identity, adoption)
        case .replacePart(let place, let identity): await replacePart(at: place, identity)
        case .trim(let length): await trim(length)
        case .reserve(let length): await reserve(length)
        case .expect(let length): part?.expect(length)
        case .publish(let name, let replacing, let date):
            await publish(as: name, replacing: replacing, dated: date)
        case .synchronizeDirectory(let place): await synchronizeDirectory(of: place)
        case .removePart(let place, let identity): await removePart(at: place, identity)
        case .connect(let id, let request):
            runner.hosts.take(server(of: request))
            connect(id, request)
        case .connectBeside(let id, let request): connectBeside(id, request)
        case .shorten(let id, let offset, let other):
            let isDone = controls[id]?.shorten(to: offset) ?? false
            if isDone { log("The answer is read up to where another range begins.", of: ranges[id]) }
            runner.feed.yield(.event(.shortened(for: other, isDone)))
        case .sample(let duration): sample(after: duration, in: &group)
        case .recall(let server): await recall(server)
        case .decode(let id, let coding): codings[id] = coding
        case .receive(let id, let offset, let limit, let overlap):
            await receive(id, at: offset, limit: limit, comparing: overlap, in: &group)
        case .disconnect(let id):
            log("Nothing more of the answer is needed.", of: ranges[id])
            if controls[id]?.disconnect() == true { reportEnd(of: id, .disconnected) }
        case .record(let progress, let durability):
            digestAhead(progress, in: &group)
            return await record(progress, durability)
        case .synchronize where part?.isSynchronized == true: runner.feed.yield(.event(.synchronized))
        case .synchronize:
            besideTheLoop(.synchronize, in: &group) { part throws(StorageProblem) in
                try await part.orDefect().synchronize()
                return .synchronized
            }
        case .digest(let algorithm, let length): digest(algorithm, length: length, in: &group)
        case .digestPieces(let pieces, let length):
            besideTheLoop(.digest, in: &group) { part throws(StorageProblem) in
                .piecesDigested(wrong: try await part.orDefect().wrongPieces(of: pieces, length: length))
            }
        case .inspect(let place, let entry): inspect(place, entry, in: &group)
        case .remember(let traits, let server): await remember(traits, of: server)
        case .note(let note): runner.publishProgress(latest, notes: [note])
        case .finish(let outcome, let progress): return .finished(outcome, .download(progress))
        }
        return nil
    }

    /// Notes that a connection is over and gets no more orders.
    func forget(_ id: ConnectionID) {
        controls[id] = nil
        codings[id] = nil
        ranges[id] = nil
    }

    /// Closes the part file, and the stream unless it is to be kept.
    func close(keepingStream: Bool) async {
        await part?.close()
        // The attempt ended before this file was ordered.
        if case .success(let file)? = prepared?.part { await file.close() }
        if !keepingStream { await runner.streams.close(runner.transfer.id) }
    }

    // MARK: The store

    private func record(
        _ progress: DownloadProgress,
        _ durability: Durability
    ) async -> AttemptReport? {
        latest = progress
        let report = await runner.record(.download(progress), durability)
        // Progress that is not recorded is only fetched again. But a claim on a file must be recorded before bytes are
        // claimed in it, and a publication before the rename.
        guard durability == .process, progress.phase == .receiving,
            case .storeFailed(let error)? = report, case .writeFailed = error
        else { return report }
        runner.configuration.logger.warning(
            "Progress could not be recorded.",
            metadata: ["error": "\(error)"]
        )
        return nil
    }

    private func recall(_ server: Origin) async {
        let (traits, isProbed) = await runner.memory(of: server)
        if !isProbed { tellLimit(traits, of: server) }
        runner.feed.yield(.event(.recalled(traits, of: server, isProbed: isProbed)))
    }

    private func remember(_ traits: ServerTraits, of server: Origin) async {
        tellLimit(traits, of: server)
        do {
            try await seams.store.remember(traits, of: server, at: seams.clock.now)
        } catch {
            // It is discovered again, at the cost of a round trip.
            runner.configuration.logger.warning(
                "The traits of a server could not be recorded.",
                metadata: ["server": "\(server)", "error": "\(error)"]
            )
        }
    }

    /// Logs, for `debug`, that a server allows fewer connections than the download may have.
    private func tellLimit(_ traits: ServerTraits, of server: Origin) {
        let most = runner.options.mostConnections
        guard let news = limitNews.metadata(traits, of: server, most: most, at: seams.clock.now) else {
            return
        }
        var metadata: Logger.Metadata = ["transfer": "\(runner.transfer.id)"]
        for (key, value) in news { metadata[key] = "\(value)" }
        runner.configuration.logger.debug(
            "The server has refused a further connection, so no more than these are opened to it.",
            metadata: metadata
        )
    }

    // MARK: Beside the loop

    private func besideTheLoop(
        _ operation: DownloadEvent.StorageOperation,
        in group: inout DiscardingTaskGroup,
        _ work: @escaping @Sendable ((any PartFile)?) async throws(StorageProblem) -> DownloadEvent
    ) {
        let part = part
        let feed = runner.feed
        group.addTask {
            do throws(StorageProblem) {
                feed.yield(.event(try await work(part)))
            } catch {
                feed.yield(.event(.storageFailed(operation, error.problem)))
            }
        }
    }

    /// Digests the complete prefix while the rest arrives.
    private func digestAhead(_ progress: DownloadProgress, in group: inout DiscardingTaskGroup) {
        let expected = runner.work.specification.expectedDigest(knowing: progress)
        guard let part, let algorithm = expected?.algorithm else { return }
        let prefix = progress.segments.completePrefix
        group.addTask { await part.digestAhead(algorithm, upTo: prefix) }
    }

    private func inspect(_ place: FilePlace, _ entry: FileSurvey.Entry, in group: inout DiscardingTaskGroup) {
        let (seams, options) = (seams, runner.options)
        besideTheLoop(.digest, in: &group) { _ throws(StorageProblem) in
            .inspected(try await seams.client.flaw(of: place, entry, asked: options))
        }
    }

    private func digest(_ algorithm: Checksum.Algorithm, length: Int64, in group: inout DiscardingTaskGroup) {
        guard let stream = runner.streams.stream(of: runner.transfer.id) else {
            return besideTheLoop(.digest, in: &group) { part throws(StorageProblem) in
                .digested(try await part.orDefect().digest(algorithm, length: length))
            }
        }
        let feed = runner.feed
        group.addTask {
            if let checksum = await stream.digest() {
                feed.yield(.event(.digested(checksum)))
            } else {
                feed.yield(.event(.storageFailed(.digest, StorageProblem.streamGone.problem)))
            }
        }
    }

    // MARK: Connections

    /// The server to which the connection counts.
    private func server(of request: RangeRequest) -> Origin {
        (request.mirror ?? runner.work.specification.url).origin
    }

    private func sample(after duration: Duration, in group: inout DiscardingTaskGroup) {
        let runner = runner
        group.addTask {
            if await runner.seams.clock.hasSlept(for: duration) { runner.feed.yield(.sample) }
        }
    }

    private func connectBeside(_ id: ConnectionID, _ request: RangeRequest) {
        let wanted = runner.options.connections
        let isHeldBack = runner.isHeldBack
        guard !isHeldBack, runner.hosts.takeSpare(server(of: request), asking: wanted) else {
            log("Asking for no further range: a rate limit or the server's limit of connections is reached.")
            runner.feed.yield(.event(.connectionEnded(id, at: nil, isHeldBack ? .heldBack : .denied)))
            return
        }
        connect(id, request)
        // An open connection may carry it. The lines of the exchange tell.
        log(
            "Asking for a further range at the same time, to see whether that is faster.",
            of: ranges[id],
            running: controls.count
        )
    }

    private var isLogged: Bool { runner.configuration.logger.logLevel <= .debug }

    /// Tells the log what the attempt does, for `debug`.
    ///
    /// - Parameters:
    ///   - range: what the request asks for, by which a person finds the lines of its exchange.
    ///   - running: the number of requests that the attempt then has, if that is to be said.
    private func log(_ message: Logger.Message, of range: String? = nil, running: Int? = nil) {
        guard isLogged else { return }
        var metadata: Logger.Metadata = ["transfer": "\(runner.transfer.id)"]
        metadata["range"] = range.map { "\($0)" }
        metadata["requests"] = running.map { "\($0)" }
        runner.configuration.logger.debug(message, metadata: metadata)
    }

    private func connect(_ id: ConnectionID, _ request: RangeRequest) {
        let watched = runner.network.begin()
        let control = ConnectionControl(watched)
        controls[id] = control
        if isLogged { ranges[id] = request.headers[.range] }
        let (feed, hosts, server) = (runner.feed, runner.hosts, server(of: request))
        let connection = DownloadConnection(
            id: id,
            request: request,
            sender: RequestSender(
                url: request.mirror ?? runner.takeURL(),
                home: runner.home(of: request),
                terms: runner.options.exchange,
                userAgent: runner.configuration.userAgent,
                seams: seams,
                pace: runner.pace,
                watched: watched
            ),
            control: control,
            handsOver: handsOver(request),
            meter: runner.meter,
            clock: seams.clock,
            transfer: runner.transfer.id,
            network: runner.network,
            watched: watched,
            giveBack: { hosts.giveBack(server) },
            report: { feed.yield(.event($0)) }
        )
        runner.exchanges.begin(watched) { await connection.run() }
    }

    /// Whether a short answer to this request can be written as it is, without a sink that changes or checks it.
    private func handsOver(_ request: RangeRequest) -> Bool {
        request.isWhole && request.part == nil && !runner.work.specification.isStream
            && !runner.options.isSealed && runner.options.mostLength == nil
    }

    /// A body that was handed over and can be written while its file is created, before the body is ordered.
    var bodyAtHand: (id: ConnectionID, bytes: [UInt8])? {
        // Such files get a name first, and are cut to their length before they are synced.
        guard runner.options.existingFile != .overwrite, !runner.options.keepsMismatch else { return nil }
        return controls.compactMap { id, control in control.bodyAtHand.map { (id: id, bytes: $0) } }
            .min { $0.id < $1.id }
    }

    /// Notes that a whole body has arrived. A file that is verified later may be fetched again.
    func noteArrival(of body: [UInt8]) {
        guard runner.options.checksum == nil, runner.options.pieces == nil else { return }
        runner.noteFinishing(of: Int64(body.count))
    }

    /// Writes a body that its connection has handed over, and reports the end of that connection.
    private func write(_ body: [UInt8], of id: ConnectionID) async {
        let isWritten = written == id
        // From now on the bytes belong to the download.
        written = nil
        noteArrival(of: body)
        runner.meter.begin(id, at: 0, known: 0)
        do throws(StorageProblem) {
            if !isWritten { try await write(body) }
            runner.meter.advance(id, to: Int64(body.count))
            reportEnd(of: id, .complete)
        } catch {
            reportEnd(of: id, .failed(error.problem))
        }
    }

    private func write(_ body: [UInt8]) async throws(StorageProblem) {
        let part = try part.orDefect()
        // A file with a name is cut to its length before it is synced.
        if part.isNamed {
            try await part.write(all: body, at: 0)
        } else {
            try await part.write(whole: body)
        }
    }

    /// Drops the bytes that were written into the part file for a connection that is not used after all (I5).
    private func dropBytes(notOf id: ConnectionID) async throws(StorageProblem) {
        guard let other = written, other != id else { return }
        written = nil
        try await part.orDefect().cut(behind: 0)
    }

    private func reportEnd(of id: ConnectionID, _ end: DownloadEvent.ConnectionEnd) {
        let offset = runner.meter.watermark(of: id)
        runner.meter.end(id)
        runner.feed.yield(.event(.connectionEnded(id, at: offset, end)))
    }

    private func receive(
        _ id: ConnectionID,
        at offset: Int64,
        limit: Int64?,
        comparing overlap: Int64,
        in group: inout DiscardingTaskGroup
    ) async {
        guard let control = controls[id] else { return }
        do throws(StorageProblem) {
            try await dropBytes(notOf: id)
        } catch {
            runner.feed.yield(.event(.storageFailed(.prepare, error.problem)))
            return
        }
        // The whole of a resource always begins the file.
        if let body = control.takeBody() { return await write(body, of: id) }
        let coding = codings.removeValue(forKey: id)
        let decoder = coding.flatMap { seams.decoder($0) }
        guard coding == nil || decoder != nil else {
            let problem = Problem.permanent(.internalFault, "There is no decoder for the answer.")
            runner.feed.yield(.event(.storageFailed(.prepare, problem)))
            return
        }
        guard let part else {
            return receiveIntoStream(id, control, at: offset, limit: limit, decoder, in: &group)
        }
        do throws(StorageProblem) {
            var plan = ConnectionControl.ReceivePlan(
                offset: offset,
                limit: limit,
                bound: control.bound(at: offset),
                sink: runner.bounded(part)
            )
            plan.decode(by: decoder, limit: runner.options.length)
            if overlap > 0 {
                let expected = try await part.read(offset..<(offset + overlap))
                plan.sink = OverlapSink(expecting: expected, at: offset, before: runner.bounded(part))
            }
            runner.meter.begin(id, at: offset, known: offset + overlap)
            control.receive(plan)
        } catch {
            runner.feed.yield(.event(.storageFailed(.prepare, error.problem)))
        }
    }

    /// Opens the stream beside the loop: a FIFO without a reader must not block a request to stop.
    private func receiveIntoStream(
        _ id: ConnectionID,
        _ control: ConnectionControl,
        at offset: Int64,
        limit: Int64?,
        _ decoder: (any ContentDecoder)?,
        in group: inout DiscardingTaskGroup
    ) {
        let runner = runner
        group.addTask {
            do throws(StorageProblem) {
                let stream = try await runner.openStream(at: offset)
                runner.meter.begin(id, at: offset, known: offset)
                var plan = ConnectionControl.ReceivePlan(
                    offset: offset,
                    limit: limit,
                    bound: control.bound(at: offset),
                    sink: runner.bounded(stream)
                )
                plan.decode(by: decoder, limit: runner.options.length)
                control.receive(plan)
            } catch {
                runner.feed.yield(.event(.storageFailed(.prepare, error.problem)))
            }
        }
    }
}

extension DownloadRunner {
    /// A sink that takes no byte beyond the maximum length of the file.
    fileprivate func bounded(_ sink: any ByteSink) -> any ByteSink {
        guard let most = options.mostLength else { return sink }
        return BoundedSink(most: most, before: sink)
    }

    /// The origin that may see the user's own fields and credentials. `nil` if a server named the mirror: it must not
    /// choose where they are sent (I7).
    fileprivate func home(of request: RangeRequest) -> Origin? {
        guard request.mirror.map(options.mirrors.contains) ?? true else { return nil }
        return work.specification.url.origin
    }

    /// The transfer's stream: the one left open by an earlier attempt, or a new one for byte 0.
    fileprivate func openStream(at offset: Int64) async throws(StorageProblem) -> any StreamSink {
        if let kept = streams.stream(of: transfer.id) { return kept }
        guard offset == 0, case .stream(let path) = work.specification.destination else {
            throw .streamGone
        }
        let opened = try await seams.files.openStream(
            path: path,
            digest: options.checksum?.algorithm
        )
        streams.keep(opened, for: transfer.id)
        return opened
    }
}

extension StorageProblem {
    fileprivate static var streamGone: StorageProblem {
        StorageProblem(
            .permanent(
                .streamLost,
                "The process that received the stream is gone.",
                remedies: [.retry]
            ),
            errno: 0
        )
    }
}
