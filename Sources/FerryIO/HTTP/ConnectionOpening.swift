internal import FerryCore
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// Opens one connection: looks names up, connects, asks the proxy, and makes the TLS handshake.
///
/// It reports its end to the pool once. ``cancel()`` ends it at any step.
final class ConnectionOpening: Sendable {
    /// The peer that is looked up or connected to.
    enum Side: Hashable, Sendable {
        case server
        case proxy
    }

    /// The steps on the way to a connection.
    enum Step: Hashable, Sendable {
        /// Looking up a name.
        case lookingUp(Side)
        /// Connecting to an address.
        case connecting
        /// Negotiating with a proxy.
        case negotiating
        /// The TLS handshake.
        case handshaking
    }

    /// What all openings of a transport use.
    struct Resources: Sendable {
        let loops: MultiThreadedEventLoopGroup
        let names: NameLookups
        let contexts: TLSContexts
        let threads: IOThreads
        let buffers: BufferPlan
        /// How long a request's body waits until the server asks for it.
        let continueWait: Duration
        let stallClock: StallClock
        /// How long the head of an answer awaits a short body.
        let shortBodyWait: Duration
    }

    private struct State {
        var step: Step
        var isOver = false
        var task: Task<Void, Never>?
        /// Ends the step under way.
        var stop: (@Sendable () -> Void)?
    }

    private let number: WirePool.Connection
    /// What the connection is for.
    let key: WireKey
    private let pool: ConnectionPool
    private let resources: Resources
    private let loop: any EventLoop
    private let state: Mutex<State>

    init(_ number: WirePool.Connection, _ key: WireKey, for pool: ConnectionPool, _ resources: Resources) {
        (self.number, self.key, self.pool, self.resources) = (number, key, pool, resources)
        let isNamed = IPAddress(key.peer.host) == nil
        state = Mutex(State(step: isNamed ? .lookingUp(key.proxy == nil ? .server : .proxy) : .connecting))
        loop = resources.loops.next()
    }

    /// Begins to open the connection.
    func start() {
        let task = Task {
            do {
                end(.success(try await open()))
            } catch let failure as OpeningFailure {
                end(.failure(failure))
            } catch let problem as Problem {
                end(.failure(.certificates(problem)))
            } catch is CancellationError {
                end(.failure(.cancelled))
            } catch {
                end(.failure(.broken(step, error)))
            }
        }
        state.withLock { $0.task = task }
    }

    /// Stops opening the connection.
    func cancel() { end(.failure(.cancelled)) }

    /// The step under way.
    var step: Step { state.withLock { $0.step } }

    private func end(_ result: Result<LiveConnection, OpeningFailure>) {
        let ended = state.withLock { state -> State? in
            if state.isOver { return nil }
            defer { (state.task, state.stop) = (nil, nil) }
            state.isOver = true
            return state
        }
        guard let ended else {
            if case .success(let connection) = result { connection.close() }
            return
        }
        switch result {
        case .success(let connection):
            pool.opened(number, connection)
        case .failure(let failure):
            ended.task?.cancel()
            ended.stop?()
            pool.failed(number, failure)
        }
    }

    /// Begins a step.
    ///
    /// - Parameter stop: ends it.
    /// - Throws: `CancellationError` when the opening is over.
    private func begin(_ step: Step, stop: (@Sendable () -> Void)? = nil) throws {
        let isOver = state.withLock { state in
            (state.step, state.stop) = (step, stop)
            return state.isOver
        }
        guard isOver else { return }
        stop?()
        throw CancellationError()
    }

    // MARK: - The steps

    private func open() async throws -> LiveConnection {
        let (peer, port) = key.peer
        let side = key.proxy == nil ? Side.server : .proxy
        let sources = try LocalAddresses(key.path)
        let addresses = try usable(await lookUp(peer, port, side), from: sources, side)
        var far: IPAddress?
        if let server = key.server, let proxy = key.proxy, !proxy.scheme.takesNames {
            let addresses = try await lookUp(server.host, server.port, .server)
            // SOCKS 4 supports only IPv4.
            let family = proxy.scheme == .socks4 ? .ipv4 : key.path.family
            far = addresses.first { family == nil || $0.family == family }
            if far == nil, proxy.scheme != .socks4 { throw OpeningFailure.noAddressOfFamily(.server) }
        }
        // Before connecting, so that an unusable file of certificates is not taken for a fault of the server.
        var context: NIOSSLContext?
        if let identity = key.tls { context = try await resources.contexts.context(for: identity) }
        // For the same reason: the request may be impossible for the proxy.
        var negotiation: ProxyNegotiation?
        if let server = key.server, let proxy = key.proxy {
            negotiation = try ProxyNegotiation(proxy, to: server, address: far)
        }
        let channel = try await connect(addresses, port, from: sources)
        do {
            if let negotiation { try await negotiate(negotiation, on: channel) }
            return try await finish(channel, context)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func lookUp(_ host: String, _ port: Int, _ side: Side) async throws -> [IPAddress] {
        if let own = key.path.overrides.first(where: { $0.host == host && $0.port == port }) {
            return own.addresses
        }
        if let address = IPAddress(host) {
            if let reason = address.impossibility { throw OpeningFailure.impossible(side, reason) }
            return [address]
        }
        try begin(.lookingUp(side))
        let answer = try await resources.names.find(host)
        guard case .found(let addresses) = answer else { throw OpeningFailure.notFound(side, answer) }
        return addresses
    }

    /// The addresses of the wanted family that a local address can connect to.
    private func usable(
        _ addresses: [IPAddress],
        from sources: LocalAddresses,
        _ side: Side
    ) throws -> [IPAddress] {
        let family = key.path.family
        let usable = addresses.filter { (family == nil || $0.family == family) && sources.canReach($0) }
        guard !usable.isEmpty else { throw OpeningFailure.noAddressOfFamily(side) }
        return usable
    }

    private func connect(
        _ addresses: [IPAddress],
        _ port: Int,
        from sources: LocalAddresses
    ) async throws -> any Channel {
        try begin(.connecting)
        let promise = loop.makePromise(of: (any Channel).self)
        let (loop, buffers) = (loop, resources.buffers)
        let race = try await loop.submit {
            let race = AddressRace(
                addresses,
                port: port,
                from: sources,
                buffers: buffers,
                on: loop,
                promise: promise
            )
            race.proceed()
            return NIOLoopBound(race, eventLoop: loop)
        }.get()
        do {
            try begin(.connecting) { loop.execute { race.value.cancel() } }
        } catch {
            // The race may have been won meanwhile.
            promise.futureResult.whenSuccess { $0.close(promise: nil) }
            throw error
        }
        return try await promise.futureResult.get()
    }

    private func negotiate(_ negotiation: ProxyNegotiation, on channel: any Channel) async throws {
        try begin(.negotiating) { channel.close(promise: nil) }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        channel.eventLoop.execute {
            do {
                // A channel that is already closed would not report its end.
                guard channel.isActive else { throw ChannelError.alreadyClosed }
                let handler = NegotiationHandler(negotiation, promise: promise)
                try channel.pipeline.syncOperations.addHandler(handler)
            } catch {
                promise.fail(OpeningFailure.broken(.negotiating, error))
            }
        }
        try await promise.futureResult.get()
    }

    /// Makes the handshake, if there is one, and puts the connection's handler at the end of the pipeline.
    private func finish(_ channel: any Channel, _ context: NIOSSLContext?) async throws -> LiveConnection {
        try begin(context == nil ? .connecting : .handshaking) { channel.close(promise: nil) }
        let loop = channel.eventLoop
        return try await loop.flatSubmit { () -> EventLoopFuture<LiveConnection> in
            do {
                guard channel.isActive else { throw ChannelError.alreadyClosed }
                return try self.complete(channel.pipeline.syncOperations, context, on: loop)
            } catch {
                channel.close(promise: nil)
                return loop.makeFailedFuture(error)
            }
        }.get()
    }

    private func complete(
        _ pipeline: ChannelPipeline.SynchronousOperations,
        _ context: NIOSSLContext?,
        on loop: any EventLoop
    ) throws -> EventLoopFuture<LiveConnection> {
        guard let context else {
            let handler = handler(on: loop, security: nil)
            try pipeline.addHandler(handler)
            return loop.makeSucceededFuture(LiveConnection(NIOLoopBound(handler, eventLoop: loop)))
        }
        let host = key.server?.host ?? key.peer.host
        let security = try NIOSSLClientHandler(context: context, serverHostname: host.nameForTLS)
        try pipeline.addHandler(security)
        let securityContext = try pipeline.context(handler: security)
        let handler = handler(on: loop, security: securityContext)
        let connection = LiveConnection(NIOLoopBound(handler, eventLoop: loop))
        let promise = loop.makePromise(of: Void.self)
        let handshake = HandshakeHandler(
            verifying: key.tls?.trustsAnyCertificate == false ? host : nil,
            promise: promise
        ) { context in
            try context.pipeline.syncOperations.addHandler(handler)
        }
        do {
            try pipeline.addHandler(handshake)
        } catch {
            promise.fail(error)
        }
        securityContext.channel.read()
        return promise.futureResult.map { connection }
    }

    private func handler(on loop: any EventLoop, security: ChannelHandlerContext?) -> ConnectionHandler {
        let buffers = key.tls == nil ? resources.buffers : resources.buffers.overTLS
        return ConnectionHandler(
            number,
            of: pool,
            on: loop,
            resources,
            buffers: buffers,
            security: security
        )
    }
}

extension String {
    /// The name for the TLS extension that names the server (RFC 6066 §3); `nil` for an address.
    fileprivate var nameForTLS: String? {
        if IPAddress(self) != nil { return nil }
        return hasSuffix(".") ? String(dropLast()) : self
    }
}

extension Duration {
    /// This duration for NIO; zero or less means no limit.
    func timeAmount(orForever forever: TimeAmount) -> TimeAmount {
        self > .zero ? .milliseconds(min(wholeMilliseconds, 1_000_000_000_000)) : forever
    }
}
