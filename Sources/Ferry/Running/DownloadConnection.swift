import FerryCore
import FerryUploads

/// One connection of a download: sends the request, reports the head, waits for the order to receive the body, and
/// reports the end exactly once.
///
/// A short body that has arrived with its head is handed over instead. ``ActionPerformer`` then reports the end.
struct DownloadConnection: Sendable {
    let id: ConnectionID
    let request: RangeRequest
    let sender: RequestSender
    let control: ConnectionControl
    /// Whether a short body is handed over, because nothing but its bytes goes into the file.
    let handsOver: Bool
    let meter: ProgressMeter
    let clock: any WallClock
    /// The connection's transfer.
    let transfer: TransferID
    let network: NetworkWatch
    /// The connection's path through the network.
    let watched: WatchedExchange
    /// Gives back the connection's place among those to its server. It is free before the end is reported, because the
    /// next connection may be ordered at once.
    let giveBack: @Sendable () -> Void
    let report: @Sendable (DownloadEvent) -> Void

    /// Maximum bytes of a body that is handed over. The transport awaits a body of this length for a moment.
    private static let longestHandedOver = 64 << 10

    /// Runs until the body has ended, the connection failed, or it was cut.
    func run() async {
        var end = await watched.run { await exchange() }
        giveBack()
        guard !control.hasHandedOver else { return }
        // A complete body counts, even if the exchange was cut meanwhile.
        if end != .complete, let cut = watched.cut {
            switch cut {
            case .ordered: end = .disconnected
            case .lost(let problem): end = .failed(problem)
            }
        }
        let offset = meter.watermark(of: id)
        meter.end(id)
        report(.connectionEnded(id, at: offset, end))
    }

    private func exchange() async -> DownloadEvent.ConnectionEnd {
        do {
            return try await sender.withResponse(adding: request.headers) { head, body, answerer in
                var facts = ResponseFacts(head, from: answerer.url, after: answerer.hops, at: clock.now)
                facts.hadCredentials = answerer.hadCredentials
                facts.refusal = await Self.refusal(in: body, of: head, from: answerer.url, asking: sender.url)
                handOver(body, facts)
                report(.head(id, facts))
                guard !control.hasHandedOver else { return .complete }
                guard let plan = await control.plans.next() else { return .disconnected }
                return try await receive(body, plan)
            }
        } catch let problem as Problem {
            return .failed(await judged(problem))
        } catch let problem as StorageProblem {
            return .failed(problem.problem)
        } catch is CancellationError {
            return .disconnected
        } catch {
            return .failed(.unexpected(error, met: "The transfer"))
        }
    }

    /// Hands over the whole of a resource if it has arrived and is short.
    private func handOver(_ body: any ResponseBody, _ facts: ResponseFacts) {
        guard handsOver, facts.status == 200, facts.contentCoding == nil, let length = facts.bodyLength,
            length > 0, let bytes = body.takeWhole(upTo: Self.longestHandedOver)
        else { return }
        control.handOver(bytes)
    }

    /// What a store says about a signed URL that it refuses. An answer that cannot be read is judged by its status.
    private static func refusal(
        in body: any ResponseBody,
        of head: ResponseHead,
        from url: HTTPURL,
        asking asked: HTTPURL
    ) async -> StoreRefusal? {
        guard StoreRefusal.explains(head.status), asked.isSigned,
            (head.bodyLength ?? 0) <= ObjectStoreTurn.longestBody
        else { return nil }
        do {
            let bytes = try await body.collect(upTo: ObjectStoreTurn.longestBody)
            return StoreRefusal(reading: bytes, from: url, status: head.status)
        } catch {
            return nil
        }
    }

    /// Reclassifies a failure by whether the last peer is reachable.
    private func judged(_ problem: Problem) async -> Problem {
        guard let host = watched.host else { return problem }
        return await network.judged(problem, of: host, for: transfer)
    }

    private func receive(
        _ body: any ResponseBody,
        _ plan: ConnectionControl.ReceivePlan
    ) async throws -> DownloadEvent.ConnectionEnd {
        do {
            let count = try await withTaskCancellationHandler {
                try await body.receive(
                    into: plan.sink,
                    at: plan.offset,
                    limit: plan.limit,
                    bound: plan.bound
                ) { offset in
                    meter.advance(id, to: plan.decoding?.end ?? offset)
                }
            } onCancel: {
                plan.decoding?.stop()
            }
            try plan.decoding?.finish()
            meter.advance(id, to: plan.decoding?.end ?? plan.offset + count)
            return .complete
        } catch let problem as StorageProblem {
            // An overlap, or a chunk that was sealed before, is compared by its sink.
            if problem == .bytesDiffer { return .overlapDiffers }
            throw problem
        }
    }
}
