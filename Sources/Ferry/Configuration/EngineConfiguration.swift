public import FerryCore
public import Logging

/// How an engine works.
public struct EngineConfiguration: Sendable {
    /// The absolute path of the directory that holds the store; made with mode 0700 when it is missing.
    public var dataDirectory: String
    /// How many transfers run at once. One that has every byte, and waits for the disk and the store only, does not count,
    /// unless there is a single slot.
    public var slots = 10
    /// How many connections may be open to one server at once, over all transfers. The first one of each transfer
    /// counts, and is opened in any case: how many of those there are is bounded by ``slots``.
    ///
    /// `nil` bounds them by ``usualConnectionsPerHost``, and a transfer that asks for more of its own
    /// (`DownloadOptions.connections`) by what it asks for.
    public var connectionsPerHost: Int?
    /// How many connections may be open to one server at once when nobody says anything.
    public static let usualConnectionsPerHost = 16
    /// The least that a further connection is opened for, in bytes.
    package var smallestPiece = DownloadMachine.smallestPiece
    /// Below this length a new part file is spared its name.
    package var smallLength = DownloadMachine.smallLength
    /// How fast all transfers of this engine may be together; ``TransferEngine/setRateLimit(_:)`` changes it.
    public var rateLimit = RateSchedule.off
    /// Which transfers this engine runs.
    public var scope = Scope.everything(untilDrained: false)
    /// What becomes of the running transfers when the engine is stopped.
    public var whenStopped = StopPolicy.release
    /// How often the progress of a running transfer is recorded; at most 500 ms keeps the promise that no more
    /// than half a second of work is repeated after a crash.
    public var recordInterval: Duration = .milliseconds(400)
    /// What gives a fresh URL for a transfer whose URL has expired, given its number and the old URL; `nil` leaves that
    /// to a person.
    ///
    /// The transfer waits meanwhile (``WaitCondition/newURL``), and its bytes are kept where the new URL serves the same
    /// version. Eight are asked for at once. When it throws, takes longer than 60 s, or its URL has expired as well before it
    /// brought a byte, it is asked again at growing intervals: as often as the transfer may be tried again
    /// (``DownloadOptions/retries``), after which it waits for a person, or without end by an engine that runs everything
    /// and is not to be drained. Such an engine asks for those as well that wait already.
    ///
    /// It is cancelled when it takes too long and when the engine stops, which waits until it has ended.
    public var refreshURL: (@Sendable (TransferID, HTTPURL) async throws -> HTTPURL)?
    /// How many bytes of small results are kept in memory at most, so that they are not sent again while they hold; see
    /// ``TransferEngine/data(from:limit:options:)``.
    public var resultMemory = 16 << 20
    /// Which of the transfers that are over are kept; an engine that runs for more than a minute forgets the others by
    /// and by. Files are not touched.
    public var retention = Retention.standard
    /// What tells whether there is a route to a host, and when that may have changed; `nil` takes what this platform offers.
    public var networkMonitor: (any NetworkMonitor)?
    /// The `User-Agent` of every request.
    public var userAgent = "ferry/\(FerryVersion.current)"
    /// Where the engine logs to. No secret is ever logged (I7).
    public var logger: Logger

    /// A configuration with every default.
    public init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
        var logger = Logger(label: "ferry")
        logger.logLevel = .warning
        self.logger = logger
    }

    /// Which transfers an engine runs.
    public enum Scope: Hashable, Sendable {
        /// Whatever is free in the store, and what dead owners left. With `untilDrained`, ``TransferEngine/run()``
        /// returns when nothing is left that can go on by itself.
        case everything(untilDrained: Bool)
        /// Only what this engine was given by `download` or `follow`. ``TransferEngine/run()`` returns when each
        /// of them is final, paused, or waits for something that only a person can give.
        case followed
    }

    /// What becomes of running transfers when the engine is stopped.
    public enum StopPolicy: Hashable, Sendable {
        /// They are queued again, for any owner to go on with.
        case release
        /// They are paused until somebody resumes them, unless another engine follows them: it goes on with them.
        case pause
    }
}
