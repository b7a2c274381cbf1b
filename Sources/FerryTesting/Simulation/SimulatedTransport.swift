import FerryCore
import HTTPTypes

/// The network as one process sees it: the scripted transport, with faults drawn for each request.
struct SimulatedTransport: HTTPTransport {
    let world: SimulatedWorld
    let process: SimulatedProcess
    let base: ScriptedTransport

    init(world: SimulatedWorld, process: SimulatedProcess) {
        self.world = world
        self.process = process
        base = ScriptedTransport(
            clock: OriginClock(base: world.clock, process: process),
            pieceLength: world.scenario.pieceLength,
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
        if let call = world.service.call(at: url) { return try await exchange(request, of: call, handle) }
        if let (site, resource) = world.origin.resource(at: url) {
            base.set(resource, at: url)
            if world.network.isAway {
                world.trace.note("no route", process.number)
                base.order(.refuse(noRoute()), at: url)
            } else if world.dice.happens(world.rates.network) {
                order(site, resource, at: url)
            }
        }
        return try await base.withResponse(to: request) { head, body in
            world.trace.note("head", process.number, Int64(head.status))
            return try await handle(head, body)
        }
    }

    func shutdown() async {}

    /// A problem of a machine without a network.
    func noRoute() -> Problem {
        world.dice.pick([
            .transient(.nameNotResolved, "Nobody can be asked."),
            .transient(.connectionLost, "Nothing came back."),
            .condition(.network, .networkUnreachable, "There is no route."),
        ])
    }

    /// Draws the fault of the next request.
    private func order(_ site: Int, _ resource: ScriptedResource, at url: HTTPURL) {
        let dice = world.dice
        let place = dice.number(in: 0..<max(1, resource.bytes.count))
        switch dice.number(in: 0..<12) {
        case 0:
            world.trace.count(.connectionRefused)
            base.order(.refuse(.transient(.connectionRefused, "Nobody is there, as was drawn.")), at: url)
        case 1:
            world.trace.count(.connectionRefused)
            base.order(.refuse(.condition(.network, .networkUnreachable, "No route, as was drawn.")), at: url)
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
        case 7 where resource.redirect == nil && world.origin.site(site).hasChecksum:
            world.trace.count(.lengthOverstated)
            world.origin.noteLie(site)
            base.order(.overstateLength(by: dice.number(in: 1..<500)), at: url)
        case 8 where resource.redirect == nil && world.origin.site(site).hasChecksum:
            world.trace.count(.bodySwitched)
            world.origin.noteLie(site)
            base.order(.switchAfter(place, to: resource.bytes.map { $0 &+ 1 }), at: url)
        default:
            world.trace.count(.connectionBroken)
            base.order(.breakAfter(place), at: url)
        }
    }
}
