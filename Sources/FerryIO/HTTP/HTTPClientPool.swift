internal import AsyncHTTPClient
internal import Dispatch
internal import FerryCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import SystemPackage

/// The clients in use, one for each way of connecting.
///
/// AsyncHTTPClient fixes proxy, certificates and connect timeout per client, so each combination has its own
/// client with its own idle connections. All share the event loops. Beyond a small number, unused clients are
/// closed, the least recently used first (I9).
final class HTTPClientPool: Sendable {
    /// What distinguishes two connections before a byte is sent.
    struct Key: Hashable, Sendable {
        /// The proxy that tunnels; a forwarding proxy is connected to like a server.
        var proxy: Proxy?
        /// A file of certificates to trust instead of the system's.
        var certificateAuthorityFile: String?
        /// Whether any certificate will do.
        var trustsAnyCertificate: Bool
        /// How long connecting may take.
        var connectTimeout: Duration
        /// Whether each request gets its own connection.
        var isSingleUse = false
    }

    fileprivate struct Entry {
        var client: HTTPClient
        var users: Int
        var lastUse: UInt64
    }

    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
        var isShutDown = false
    }

    private let loops: any EventLoopGroup
    private let threads: IOThreads
    private let buffers: BufferPlan
    private let directory: ExchangeDirectory
    private let limit: Int
    private let state = Mutex(State())

    init(
        loops: any EventLoopGroup,
        threads: IOThreads,
        buffers: BufferPlan,
        directory: ExchangeDirectory,
        limit: Int = 16
    ) {
        self.directory = directory
        self.loops = loops
        self.threads = threads
        self.buffers = buffers
        self.limit = limit
    }

    /// The client for `key`, which stays open until ``release(_:)``.
    ///
    /// - Throws: ``Problem`` when the file of certificates cannot be used; `CancellationError` after a
    ///   shutdown.
    func client(for key: Key) async throws -> HTTPClient {
        if let client = try state.withLock({ state in try state.use(key) }) { return client }
        let certificates = try await certificates(for: key)
        let fresh = HTTPClient(
            eventLoopGroup: loops,
            configuration: configuration(for: key, trusting: certificates)
        )
        // Another task may have created the same client meanwhile, or the pool may have been shut down.
        let (chosen, surplus) = state.withLock { state -> (HTTPClient?, [HTTPClient]) in
            if state.isShutDown { return (nil, [fresh]) }
            if let client = state.use(existing: key) { return (client, [fresh]) }
            let retired = state.retire(keeping: limit - 1)
            state.uses += 1
            state.entries[key] = Entry(client: fresh, users: 1, lastUse: state.uses)
            return (fresh, retired)
        }
        for client in surplus { await close(client) }
        guard let chosen else { throw CancellationError() }
        return chosen
    }

    /// Ends one use of the client for `key`.
    func release(_ key: Key) {
        state.withLock { $0.entries[key]?.users -= 1 }
    }

    /// Closes all clients, with everything that still runs on them.
    ///
    /// - Parameter closed: called when they are closed. A connection being established cannot be cancelled,
    ///   so this may take as long as its connect timeout.
    func shutdown(_ closed: @escaping @Sendable () -> Void) {
        let clients = state.withLock { state in
            state.isShutDown = true
            defer { state.entries = [:] }
            return state.entries.values.map(\.client)
        }
        let group = DispatchGroup()
        for client in clients {
            group.enter()
            client.shutdown { _ in group.leave() }
        }
        group.notify(queue: .global(), execute: closed)
    }

    private func close(_ client: HTTPClient) async {
        do {
            try await client.shutdown()
        } catch {
            // Its connections are closed either way; the error only says that some were not idle.
        }
    }

    private func configuration(
        for key: Key,
        trusting certificates: [NIOSSLCertificate]?
    ) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        // How long a server may take to answer TLS's closing alert; no one needs the answer.
        tls.shutdownTimeout = .milliseconds(200)
        if let certificates { tls.trustRoots = .certificates(certificates) }
        if key.trustsAnyCertificate { tls.certificateVerification = .none }

        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls,
            redirectConfiguration: .disallow,
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        // No read timeout: AsyncHTTPClient's also runs while Ferry itself is not reading.
        configuration.timeout = .init(connect: key.connectTimeout.timeAmount(orForever: .hours(24)))
        // Servers close idle connections after some seconds; sending on one that is being closed fails.
        configuration.connectionPool.idleTimeout = .seconds(15)
        // A higher layer counts slots and decides the number of connections.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 4096
        // A refused connection is reported at once; a higher layer decides when to retry.
        configuration.connectionPool.retryConnectionEstablishment = false
        if key.isSingleUse { configuration.maximumUsesPerConnection = 1 }
        configuration.proxy = key.proxy.map(HTTPClient.Configuration.Proxy.init)
        configuration.http1_1ConnectionDebugInitializer = { [buffers, directory] channel in
            channel.prepare(with: buffers, directory: directory)
        }
        return configuration
    }

    private func certificates(for key: Key) async throws -> [NIOSSLCertificate]? {
        guard let path = key.certificateAuthorityFile else { return nil }
        return try await threads.run {
            let certificates: [NIOSSLCertificate]
            do {
                // The parser would read a device, or a huge sparse file, without end.
                let file = try FileStatus(following: path)
                guard file.kind == .file, file.length <= ConnectionOptions.longestCertificateAuthorityFile
                else { throw Errno.invalidArgument }
                certificates = try NIOSSLCertificate.fromPEMFile(path)
            } catch {
                throw Problem.permanent(
                    .cannotOpen,
                    "The certificates in \(path) cannot be read.",
                    remedies: [.trustCertificates]
                )
            }
            guard !certificates.isEmpty else {
                throw Problem.permanent(
                    .cannotOpen,
                    "There is no certificate in \(path).",
                    remedies: [.trustCertificates]
                )
            }
            return certificates
        }
    }
}

extension HTTPClientPool.State {
    fileprivate mutating func use(_ key: HTTPClientPool.Key) throws -> HTTPClient? {
        if isShutDown { throw CancellationError() }
        return use(existing: key)
    }

    fileprivate mutating func use(existing key: HTTPClientPool.Key) -> HTTPClient? {
        guard entries[key] != nil else { return nil }
        uses += 1
        entries[key]?.users += 1
        entries[key]?.lastUse = uses
        return entries[key]?.client
    }

    /// Removes clients without users until at most `count` are left, the least recently used first.
    fileprivate mutating func retire(keeping count: Int) -> [HTTPClient] {
        var retired: [HTTPClient] = []
        while entries.count > count {
            let idle = entries.filter { $0.value.users == 0 }
            guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
            entries[oldest.key] = nil
            retired.append(oldest.value.client)
        }
        return retired
    }
}

extension HTTPClient.Configuration.Proxy {
    fileprivate init(_ proxy: Proxy) {
        switch (proxy.scheme, proxy.credentials) {
        // Both leave name resolution to the proxy: AsyncHTTPClient never resolves the name itself.
        case (.socks4, _), (.socks4a, _), (.socks5, _), (.socks5h, _):
            self = .socksServer(host: proxy.host, port: proxy.port)
        case (.http, .basic(let user, let password)?):
            self = .server(
                host: proxy.host,
                port: proxy.port,
                authorization: .basic(username: user, password: password)
            )
        case (.http, .bearer(let token)?):
            self = .server(host: proxy.host, port: proxy.port, authorization: .bearer(tokens: token))
        case (.http, nil):
            self = .server(host: proxy.host, port: proxy.port)
        }
    }
}

extension Channel {
    /// Gives a new connection its buffers and its guard.
    fileprivate func prepare(with buffers: BufferPlan, directory: ExchangeDirectory) -> EventLoopFuture<Void>
    {
        eventLoop.makeCompletedFuture {
            let options = syncOptions
            let buffers = pipeline.security == nil ? buffers : buffers.overTLS
            try options?.setOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: buffers.portion(afterReceiving: 0))
            )
            try options?.setOption(.maxMessagesPerRead, value: buffers.readsInARow)
            let pipeline = pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let guardian = ConnectionGuard(directory: directory, buffers: buffers)
            try pipeline.addHandler(guardian, position: .after(decoder))
        }
    }
}

extension Duration {
    /// This duration for NIO; zero or less means no limit.
    func timeAmount(orForever forever: TimeAmount) -> TimeAmount {
        self > .zero ? .milliseconds(min(wholeMilliseconds, 1_000_000_000_000)) : forever
    }
}
