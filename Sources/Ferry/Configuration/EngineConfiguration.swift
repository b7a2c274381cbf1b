public import FerryCore
public import FerryUploads
public import Logging

/// How an engine works.
public struct EngineConfiguration: Sendable {
    /// The absolute path of the directory that holds the store. It is created with mode 0700 if it is missing.
    public var dataDirectory: String
    /// Maximum number of transfers that run at once. A transfer that has every byte, and waits only for the disk and
    /// the store, does not count, unless there is a single slot. Small results in memory have the same number of
    /// separate slots.
    public var slots = 10
    /// Minimum time from the end of an attempt to the start of the next one, over all transfers, retries
    /// included. Zero sets no pause. With any other value, one transfer runs at a time, whatever ``slots``
    /// says; small results in memory are not affected.
    public var pauseBetweenAttempts: Duration = .zero
    /// Maximum number of connections open to one server at once, over all transfers. The first connection of each
    /// transfer counts, but is always opened; ``slots`` limits the number of first connections.
    ///
    /// With `nil` the limit is ``usualConnectionsPerHost``, or what a transfer asks for if that is more
    /// (`DownloadOptions.connections`).
    public var connectionsPerHost: Int?
    /// The default limit of connections open to one server at once.
    public static let usualConnectionsPerHost = 16
    /// The smallest piece for which another connection is opened, in bytes.
    package var smallestPiece = DownloadMachine.smallestPiece
    /// A new part file shorter than this gets no separate name.
    package var smallLength = DownloadMachine.smallLength
    /// The speed limit of all transfers of this engine together; ``TransferEngine/setRateLimit(_:)`` changes it.
    public var rateLimit = RateSchedule.off
    /// Which transfers this engine runs.
    public var scope = Scope.everything(untilDrained: false)
    /// What happens to running transfers when the engine is stopped.
    public var whenStopped = StopPolicy.release
    /// Interval at which the progress of a running transfer is recorded. At most 500 ms keeps the promise that a crash
    /// repeats no more than half a second of work.
    public var recordInterval: Duration = .milliseconds(400)
    /// Gives a fresh URL for a transfer whose URL has expired. Its arguments are the transfer's ID and the old URL.
    /// With `nil`, a person must give the URL.
    ///
    /// The transfer waits meanwhile (``WaitCondition/newURL``), and keeps its bytes if the new URL serves the same
    /// version. Up to 8 calls run at once. A call fails when it throws, takes longer than 60 s, or returns a URL that
    /// expires before it brings a byte. It is then repeated at growing intervals, up to ``DownloadOptions/retries``
    /// times; after that the transfer waits for a person. An engine with the scope `everything(untilDrained: false)`
    /// repeats it without end, and also calls it for transfers that already wait.
    ///
    /// If the query of a signed URL says when it expires, the function is also called two minutes before that, while the
    /// download runs. Open connections continue, and later requests use the fresh URL.
    ///
    /// The call is cancelled when it takes too long and when the engine stops. The engine waits until it has ended.
    public var refreshURL: (@Sendable (TransferID, HTTPURL) async throws -> HTTPURL)?
    /// What responses mean, by the types of requests (``TransferType``): for a server that reports an error in a body
    /// with 200, for example. A rule returns `nil` for a response that its status is to judge.
    ///
    /// A request that may not be repeated is never sent again because of a rule alone (``ResponseMeaning/retry``). Give
    /// the rules to every engine that sends such requests. A rule is called for each response, maybe with a part of its
    /// body only (``StoredResponse/isTruncated``).
    public var responseRules: [TransferType: @Sendable (StoredResponse) -> ResponseMeaning?] = [:]
    /// Gives fresh credentials when a server has refused those of a request (401). Its arguments are the ID of one such request
    /// and its URL. With `nil`, such a request fails.
    ///
    /// It is called once for all requests with the same origin and the same credentials, whether these are
    /// ``ExchangeTerms/credentials``, a header field `Authorization` or part of the URL. The refused request is sent again at
    /// once, which does not count as a retry: a 401 says that the server did not act, so this also holds for a `POST` without
    /// a key. Requests that were not sent yet wait for the answer, and use the fresh credentials as well. If these are refused
    /// too, a request fails as without this function. Fresh credentials go to that origin only.
    ///
    /// A call fails when it throws, takes longer than 60 s, or returns the refused credentials. The requests are then tried
    /// again at growing intervals, up to ``RequestSpecification/retries`` times. The call is cancelled when it takes too long
    /// and when the engine stops. It must not wait for a transfer of this engine: the waiting requests keep their slots.
    ///
    /// Fresh credentials are kept in memory only, because they are often valid for an hour. After a restart, the stored ones
    /// are refused once more, and there is another call.
    public var refreshCredentials: (@Sendable (TransferID, HTTPURL) async throws -> Credentials)?
    /// Says whether a request or an upload has arrived that was sent and not answered, and that must not be sent again by itself
    /// (``TransferFailure/Code/outcomeUnknown``); `nil` leaves it to a person. Its arguments are the ID of the request and its
    /// URL. It usually asks the server whether it has the order.
    ///
    /// The request then counts as completed, without a response, or is sent again. Observers of this engine see it queued
    /// until then. An engine that runs everything also asks about requests whose outcome was unknown before. Calls are
    /// limited, repeated and cancelled as those of ``refreshURL``, and one that returns `nil` is not repeated before the request is
    /// sent again. Transfers that come after the request fail at once, and stay failed.
    public var resolveOutcome: (@Sendable (TransferID, HTTPURL) async throws -> RequestOutcome?)?
    /// Gives the credentials for a bucket of an object store, and says where the bucket is; `nil` refuses every transfer whose
    /// URL is the name of an object (``ObjectName``).
    ///
    /// It is called once for all requests that need the same (``ObjectStoreAccess/Question``), and again 5 minutes before the
    /// credentials expire or when the store says that they have. They are kept in memory only. If it throws
    /// ``ObjectStoreAccess/Failure``, the transfer fails or is tried again, as that says. Any other error is not shown, and the
    /// transfer is tried again.
    public var objectStoreAccess: (@Sendable (ObjectStoreAccess.Question) async throws -> ObjectStoreAccess)?
    /// The cookies that all requests of this engine share. Keep the value to save them, or to give them to another engine.
    ///
    /// With `nil`, a cookie lives as long as the redirects of the request whose answer has set it. In both cases cookies are not
    /// stored, shown or logged; only a stored response has all of its header fields (``StoredResponse``). A request with a header
    /// field `Cookie` carries no other cookies, until a redirect leaves its origin.
    public var cookies: SessionCookies?
    /// Maximum bytes of small results kept in memory, so that they are not sent again while they are valid; see
    /// ``TransferEngine/data(from:limit:options:queue:priority:retries:waitsForNetwork:)``.
    public var resultMemory = 16 << 20
    /// Which completed and cancelled transfers stay in the store, and for how long failed downloads without a byte stay there. An
    /// engine that runs for more than a minute removes the others over time. Files are not touched.
    public var retention = Retention.standard
    /// Tells whether there is a route to a host, and when routes may have changed; `nil` uses the platform's own monitor.
    public var networkMonitor: (any NetworkMonitor)?
    /// The `User-Agent` of every request.
    public var userAgent = "ferry/\(FerryVersion.current)"
    /// The logger of the engine. No secret is ever logged (I7).
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
        /// Every free transfer in the store, and those left by dead owners. With `untilDrained`,
        /// ``TransferEngine/run()`` returns when no transfer is left that can proceed without a person.
        case everything(untilDrained: Bool)
        /// Only transfers given to this engine by `download` or `follow`. ``TransferEngine/run()`` returns when each
        /// of them is final, paused, or waits for something that only a person can give.
        case followed
    }

    /// What happens to running transfers when the engine is stopped.
    public enum StopPolicy: Hashable, Sendable {
        /// They are queued again, and any owner may resume them.
        case release
        /// They are paused until they are resumed. If another engine follows them, that engine resumes them instead.
        case pause
    }
}
