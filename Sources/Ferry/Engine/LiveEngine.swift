import FerryCore
import FerryIO
import FerrySQLite
import FerrySealed
package import HTTPTypes
public import Logging

// The only place that wires the live engine, the live client, the present moment and new UUIDs.

extension TransferEngine {
    /// Opens the store and creates an engine over the real network and the real disk.
    ///
    /// - Throws: ``StoreError`` when the store cannot be opened; ``StorageProblem`` when the system does not report
    ///   what Ferry needs to know, or when too few descriptors are left.
    public static func open(_ configuration: EngineConfiguration) async throws -> TransferEngine {
        try await cleaned(assemble(configuration))
    }

    /// Opens the store and creates an engine over the real disk, and over a transport that takes the place of the network. The
    /// transport is shut down if the store cannot be opened.
    ///
    /// - Parameter random: decides how long each retry waits, within its bound.
    /// - Throws: as ``open(_:)``.
    package static func open(
        _ configuration: EngineConfiguration,
        over transport: any HTTPTransport,
        random: any RandomNumberGenerator & Sendable
    ) async throws -> TransferEngine {
        try await cleaned(assemble(configuration, over: transport, random: random))
    }

    private static func cleaned(_ engine: TransferEngine) async throws -> TransferEngine {
        // A read-only engine can look; every change fails.
        guard !engine.isReadOnly else { return engine }
        do {
            try await engine.cleanUp()
        } catch {
            await engine.close()
            throw error
        }
        return engine
    }

    /// Opens the store only to read it: transfers that dead processes held stay as they are.
    package static func openToRead(_ configuration: EngineConfiguration) async throws -> TransferEngine {
        try await assemble(configuration, toRead: true)
    }

    private static func assemble(
        _ configuration: EngineConfiguration,
        over transport: (any HTTPTransport)? = nil,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        toRead: Bool = false
    ) async throws -> TransferEngine {
        let descriptors = try descriptors(toRead: toRead)
        let threads = IOThreads()
        // The transport starts its threads while the store is opened.
        async let opening = ClientSeams.open(
            configuration.dataDirectory,
            threads,
            logger: configuration.logger,
            toRead: toRead
        )
        let wire: any HTTPTransport =
            transport
            ?? WireTransport(threads: threads, keepsIdleConnections: descriptors.keepsIdleConnections)
        let client: ClientSeams
        do {
            client = try await opening
        } catch {
            await wire.shutdown()
            throw error
        }
        let isTraced = configuration.logger.logLevel <= .debug
        return TransferEngine(
            configuration,
            seams: EngineSeams(
                client: client,
                transport: isTraced ? TracedTransport(wire, logger: configuration.logger) : wire,
                network: configuration.networkMonitor ?? LivePlatform.networkMonitor(),
                random: random,
                decoder: { InflatingDecoder($0) },
                descriptors: descriptors,
                objectStoreAccess: configuration.objectStoreAccess,
                cookies: configuration.cookies
            )
        )
    }

    /// Sends one small request without an engine, such as to the agent of a container. No proxy is used.
    ///
    /// - Parameter patience: how long each step may take.
    package static func answer(
        to method: HTTPRequest.Method,
        _ url: HTTPURL,
        _ fields: [HeaderField],
        atMost limit: Int,
        within patience: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        let threads = IOThreads(count: 1)
        let transport = WireTransport(threads: threads, eventLoops: 1, keepsIdleConnections: false)
        var connection = ConnectionOptions()
        (connection.connectTimeout, connection.idleTimeout) = (patience, patience)
        var headers = HTTPFields()
        for field in fields {
            if let name = HTTPField.Name(field.name) {
                headers.append(HTTPField(name: name, value: field.value))
            }
        }
        let request = TransportRequest(method: method, url: url, headers: headers, connection: connection)
        let answer: Result<(Int, [UInt8]), any Error>
        do {
            answer = .success(
                try await transport.withResponse(to: request) { head, body in
                    (head.status, try await body.collect(upTo: limit))
                }
            )
        } catch {
            answer = .failure(error)
        }
        await transport.shutdown()
        try await threads.shutdown()
        return try answer.get()
    }

    /// Number of bytes of address space that this process uses; `nil` if the system does not report it.
    package static func addressSpace() -> Int? { Platform.addressSpace() }

    /// What the system reports about the threads that this process may still start.
    package static func threadRoom() -> ThreadRoom { LivePlatform.threadRoom() }

    /// The memory with the words of this process's command, as other users of the machine see them; `nil` if the system does not tell
    /// it.
    package static func commandWords() -> UnsafeMutableBufferPointer<UInt8>? { Platform.commandWords() }

    /// The descriptors that this process may still open.
    ///
    /// - Parameter toRead: whether the store is only read, and nothing is transferred.
    /// - Throws: ``StorageProblem`` with `cannotOpen` when too few are left to read, or to run an engine and one
    ///   transfer.
    @discardableResult
    package static func descriptors(toRead: Bool = false) throws(StorageProblem) -> DescriptorBudget {
        let (limit, open) = Platform.descriptors()
        let budget = DescriptorBudget(limit: limit, open: open)
        guard !(toRead ? budget.isEnoughToRead : budget.isEnough) else { return budget }
        let needed =
            toRead ? DescriptorBudget.toRead : DescriptorBudget.reserve + DescriptorBudget.perTransfer
        throw StorageProblem(
            .permanent(
                .cannotOpen,
                "This process may have \(limit) files open at once and has \(open); "
                    + "ferry needs \(needed) more. Nothing was done.",
                remedies: [.raiseFileLimit]
            ),
            errno: 0
        )
    }
}

extension TransferClient {
    /// Opens the store.
    ///
    /// - Parameters:
    ///   - dataDirectory: the absolute path of the directory that holds the store; made with mode 0700 when it is missing.
    ///   - logger: where the client logs to. No secret is ever logged (I7).
    /// - Throws: ``StoreError`` when the store cannot be opened; ``StorageProblem`` when the system does not report
    ///   what Ferry needs to know.
    public static func open(
        dataDirectory: String,
        logger: Logger = Logger(label: "ferry")
    ) async throws -> TransferClient {
        let client = try await open(dataDirectory, logger, toRead: false)
        // A read-only client can read; every change fails.
        guard !client.isReadOnly else { return client }
        // Transfers of a killed process must not be shown as running.
        do {
            try await client.rescueTheDead()
        } catch {
            await client.close()
            throw error
        }
        return client
    }

    /// Opens the store only to read it: transfers that dead processes held stay as they are.
    package static func openToRead(_ dataDirectory: String, _ logger: Logger) async throws -> TransferClient {
        try await open(dataDirectory, logger, toRead: true)
    }

    private static func open(
        _ dataDirectory: String,
        _ logger: Logger,
        toRead: Bool
    ) async throws -> TransferClient {
        try TransferEngine.descriptors(toRead: true)
        let seams = try await ClientSeams.open(dataDirectory, IOThreads(), logger: logger, toRead: toRead)
        return TransferClient(seams: seams, logger: logger)
    }
}

extension PublishedFile {
    /// Has `body` write a file on the real disk, in order, and gives it its name when that has returned.
    ///
    /// - Parameters:
    ///   - place: the final name.
    ///   - replacesExisting: whether a regular file of that name is replaced.
    ///   - body: writes the file.
    /// - Throws: ``StorageProblem``, with `destinationExists` when the name is taken; what `body` throws. No file is left
    ///   then.
    package static func write<Result: Sendable>(
        _ place: FilePlace,
        replacesExisting: Bool,
        _ body: (PublishedFile) async throws -> Result
    ) async throws -> Result {
        let threads = IOThreads(count: 1)
        let outcome: Swift.Result<Result, any Error>
        do {
            let file = try await PublishedFile(
                at: place,
                replacesExisting: replacesExisting,
                in: POSIXPartFileSystem(threads: threads),
                running: { work throws(StorageProblem) in try await threads.storage(work) }
            )
            do {
                let result = try await body(file)
                try await file.publish()
                outcome = .success(result)
            } catch {
                try await file.discard()
                throw error
            }
        } catch {
            outcome = .failure(error)
        }
        try await threads.shutdown()
        return try outcome.get()
    }
}

extension Checksum {
    /// Reads a file on the real disk, and computes its digest. No store is opened.
    ///
    /// - Throws: ``StorageProblem`` when there is no such file, or it cannot be read.
    package static func ofFile(at place: FilePlace, by algorithm: Algorithm) async throws -> Checksum {
        let threads = IOThreads(count: 1)
        let outcome: Result<Checksum, StorageProblem>
        do throws(StorageProblem) {
            outcome = .success(try await POSIXPartFileSystem(threads: threads).digest(algorithm, of: place))
        } catch {
            outcome = .failure(error)
        }
        try await threads.shutdown()
        return try outcome.get()
    }
}

extension SealedFile {
    /// The threads for sealed files that are open, in the whole process: such a file belongs to no engine.
    private static let threads = IOThreads(count: 2)

    /// A file on the real disk.
    static func bytes(of path: String) async throws(StorageProblem) -> any SealedBytes {
        try await RangedFile.open(path, threads)
    }

    /// Runs work that takes long on one of the threads.
    static func onThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await threads.run(work)
    }
}

extension Instant {
    /// The present moment, by the clock of this machine.
    public static var now: Instant { SystemClock().now }
}

extension TransferUUID {
    /// Creates a new UUID from the clock and the random numbers of this machine.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(at: SystemClock().now, using: &generator)
    }
}

extension ClientSeams {
    fileprivate static func open(
        _ dataDirectory: String,
        _ threads: IOThreads,
        logger: Logger,
        toRead: Bool
    ) async throws -> ClientSeams {
        let host = try LivePlatform.hostInspector(directory: dataDirectory)
        let clock = SystemClock()
        let store = try await SQLiteTransferStore.open(
            directory: dataDirectory,
            localTime: clock.localTime,
            toRead: toRead
        )
        return ClientSeams(
            store: store,
            files: POSIXPartFileSystem(threads: threads, keyDirectory: dataDirectory),
            bodies: POSIXBodyFiles(threads: threads, copies: "\(dataDirectory)/bodies"),
            clock: clock,
            host: host,
            cacheDirectory: "\(dataDirectory)/cache",
            mend: { () throws(StoreError) in try await store.mend() },
            betweenWrites: { await store.betweenWrites($0) },
            release: {
                do {
                    try await threads.shutdown()
                } catch {
                    logger.warning("The I/O threads did not end.", metadata: ["error": "\(error)"])
                }
            }
        )
    }
}
