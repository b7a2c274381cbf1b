import FerryCore
import HTTPTypes

/// The network as one process sees it: servers that the scripted transport plays, with faults drawn for each request, behind
/// the machines of the wire.
struct SimulatedTransport: HTTPTransport {
    let world: SimulatedWorld
    let process: SimulatedProcess
    let base: ScriptedTransport
    let wire: SimulatedWire

    init(world: SimulatedWorld, process: SimulatedProcess) {
        self.world = world
        self.process = process
        wire = SimulatedWire(world: world, process: process)
        base = ScriptedTransport(
            clock: OriginClock(base: world.clock, process: process),
            pieceLength: world.scenario.pieceLength,
            bringsWholeBody: { world.dice.happens(world.scenario.wholeBodies) },
            pace: {
                await world.linger()
                if world.scenario.pieceTime > .zero {
                    try await world.clock.sleep(for: world.scenario.pieceTime)
                }
                try Task.checkCancellation()
                guard process.isRunning else { throw CancellationError() }
            }
        )
    }

    func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        guard process.isRunning else { throw CancellationError() }
        let url = request.url.withoutFragment.withoutUserinfo
        world.trace.note("request", process.number, 0, "\(url) \(request.headers[.range] ?? "")")
        return try await wire.carry(request) { connection, start in
            guard process.isRunning else { throw CancellationError() }
            if let call = world.service.call(at: url) {
                return try await exchange(request, of: call, on: connection, start, handle)
            }
            if url.host == SimulatedDepot.host {
                return try await deposit(request, on: connection, start, handle)
            }
            return try await fetch(request, at: url, on: connection, handle)
        }
    }

    /// Carries a request to a site.
    private func fetch<Result: Sendable>(
        _ request: TransportRequest,
        at url: HTTPURL,
        on connection: SimulatedConnection,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        if connection.isLeft { throw connection.lose() }
        if let (site, resource) = world.origin.resource(at: url) {
            base.set(resource, at: url)
            if world.network.isAway {
                world.trace.note("no route", process.number)
                base.order(.refuse(world.noRoute()), at: url)
            } else if world.dice.happens(world.rates.network) {
                try order(site, resource, at: url, on: connection)
            }
        }
        return try await base.withResponse(to: request) { head, body in
            world.trace.note("head", process.number, Int64(head.status))
            return try await handle(
                try connection.head(head, request.listener),
                WiredBody(base: body, connection: connection)
            )
        }
    }

    func shutdown() async { await wire.shutdown() }

    /// Draws the fault of the next request.
    private func order(
        _ site: Int,
        _ resource: ScriptedResource,
        at url: HTTPURL,
        on connection: SimulatedConnection
    ) throws {
        let dice = world.dice
        let place = dice.number(in: 0..<max(1, resource.bytes.count))
        let mayLie = resource.redirect == nil && world.origin.site(site).hasChecksum
        switch dice.number(in: 0..<12) {
        case 0, 1: throw connection.lose()
        case 2:
            let wait = dice.number(in: 0..<120)
            world.trace.count(.serverBusy)
            base.order(.answer(status: dice.pick([429, 503]), [.retryAfter: "\(wait)"]), at: url)
        case 3:
            world.trace.count(.serverError)
            base.order(.answer(status: dice.pick([500, 502, 408]), [:]), at: url)
        case 4:
            world.trace.count(.stalled)
            base.order(dice.happens(500) ? .stallBeforeHead : .stallAfter(place), at: url)
        case 5, 6:
            world.trace.count(.timedOut)
            let wait = Duration.seconds(dice.number(in: 1..<60))
            base.order(
                dice.happens(500) ? .timeOutBeforeHead(wait) : .timeOutAfter(place, wait),
                at: url
            )
        case 7 where mayLie, 9 where mayLie:
            world.trace.count(.lengthOverstated)
            world.origin.noteLie(site)
            base.order(.overstateLength(by: dice.number(in: 1..<500)), at: url)
        case 8 where mayLie, 10 where mayLie:
            world.trace.count(.bodySwitched)
            world.origin.noteLie(site)
            base.order(.switchAfter(place, to: resource.bytes.map { $0 &+ 1 }), at: url)
        case 11 where resource.redirect == nil:
            world.trace.count(.rangeGarbled)
            base.order(.garbleRange, at: url)
        default:
            world.trace.count(.connectionBroken)
            base.order(.breakAfter(place), at: url)
        }
    }
}
