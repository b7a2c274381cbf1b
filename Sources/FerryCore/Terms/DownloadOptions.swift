/// How to download. Every field has the default of the command line.
public struct DownloadOptions: Hashable, Sendable, Codable {
    /// What to do when a file already has the final name.
    public var existingFile: ExistingFilePolicy = .fail
    /// Whether a file that an earlier transfer saved is asked for again (RFC 9110 §13). It is replaced only when the
    /// server has another version, and that is whole and verified. A file that was changed since is treated as
    /// ``existingFile`` says.
    public var updates: Bool {
        get { update ?? false }
        set { update = newValue ? true : nil }
    }
    /// `nil` unless asked for, because options that are added later are stored only if they are not the default.
    private var update: Bool?
    /// What to do when the resource has changed.
    public var onChange: ChangePolicy = .automatic
    /// Whether to start over rather than resume when the server gives no strong validator. Without a digest, a mirror is then
    /// used only if it gives the whole file.
    public var strictResume = false
    /// Whether to refuse a web page (`text/html`) under a name that is that of an archive, an image or a disk image.
    /// Otherwise it is saved, with a note (``TransferNote/Code/unexpectedType``).
    public var refusesPages: Bool {
        get { strictType ?? false }
        set { strictType = newValue ? true : nil }
    }
    /// `nil` unless asked for, as ``update``.
    private var strictType: Bool?
    /// Whether the file gets the server's time as modification time: the `Last-Modified` of its version (RFC 9110 §8.8.2). A date
    /// in the future counts.
    ///
    /// The file has the time of its download if this is false, or if the server gives no date from 1970 to 2262. A stream has no
    /// time.
    public var keepsServerTime: Bool {
        get { serverTime ?? false }
        set { serverTime = newValue ? true : nil }
    }
    /// `nil` unless asked for, as ``update``.
    private var serverTime: Bool?
    /// The digest that the file must have.
    public var checksum: Checksum?
    /// Whether to accept bytes that do not have the digest given by the server.
    public var ignoresServerDigests = false
    /// Whether to keep a file with a wrong digest under the part file's name. Otherwise a retry overwrites it.
    public var keepsMismatch = false
    /// Other URLs of the same content, the best first.
    ///
    /// A mirror whose length or digest disagrees with the rest is not used. Bytes of several URLs are combined if a digest
    /// tells whether they belong together. Without a digest, they are combined if they are equal wherever those of two
    /// URLs meet.
    public var mirrors: [HTTPURL] = []
    /// The length that the file must have, in bytes; `nil` accepts the server's.
    public var length: Int64?
    /// Maximum length of the file, in bytes; `nil` for no limit. With ``range``, it is that of the part.
    ///
    /// A longer file fails with ``TransferFailure/Code/tooLong`` before a byte is written, if the server gives its length, and
    /// otherwise when its bytes pass the limit. It is not published, and its part file is removed. A part file that is longer
    /// from an earlier attempt, which had another limit, is kept.
    public var maximumLength: Int64?
    /// The digests of the pieces of the file. With them only wrong pieces are fetched again.
    public var pieces: PieceDigests?
    /// Whether to ask only the given URLs, and no mirror that a server names (RFC 6249).
    public var ignoresServerMirrors = false
    /// Query parameters that do not identify the file, such as a session. Two URLs that differ only in these are the
    /// same download. Parameters of known signatures need not be named.
    public var ignoredQuery: [String] = []
    /// The part of the resource to fetch; `nil` fetches all of it. A part is another download than the whole, and its file
    /// has only the bytes of the part.
    public var range: ByteRange?
    /// Maximum number of connections, within ``connectionsRange``; `nil` uses ``defaultConnections``, or one if it is
    /// ``isInOrder``.
    public var connections: Int?
    /// Whether to fetch from the front, for a player that reads the part file while it grows. Over one connection the part
    /// file has no gaps. Over several, each piece is taken as near to the front as possible.
    public var isInOrder: Bool {
        get { inOrder ?? false }
        set { inOrder = newValue ? true : nil }
    }
    /// `nil` unless asked for, as ``update``.
    private var inOrder: Bool?
    /// The recipients of age (`age1…`) that the file is sealed to as its bytes arrive. Without any, it is not sealed.
    ///
    /// No byte lies on the disk in clear. The file has the format of age, version 1. ``checksum``, ``length`` and ``pieces``
    /// are those of the bytes in clear. A file with a wrong digest is fetched again as a whole. Only a strong validator lets
    /// the download resume, as with ``strictResume``. A stream cannot be sealed. Neither order nor repetition counts.
    public var recipients: [String] {
        get { sealedFor ?? [] }
        set { sealedFor = newValue.isEmpty ? nil : Set(newValue).sorted() }
    }
    /// `nil` unless asked for, as ``update``; in order, so that a download for the same recipients has the same identity.
    private var sealedFor: [String]?
    /// Statuses from 400 to 599 that are retried, besides those that are retried anyway, such as 503. ``retries`` limits their
    /// number.
    ///
    /// 401 and 407 are never retried, because a retry would send the same credentials. If Ferry handles a status in another way,
    /// such as by waiting for a fresh URL, it still does.
    public var retriedStatuses: Set<Int> {
        get { Set(retried ?? []) }
        set { retried = newValue.isEmpty ? nil : newValue.sorted() }
    }
    /// `nil` unless asked for, as ``update``; in order, so that equal options have one stored form.
    private var retried: [Int]?
    /// The entry of a pool that the download brings; `nil` for a file of the caller's own.
    package var cache: CacheTerms?
    /// The directory that the user chose, if a document or a server named those below it in the destination. No link below
    /// it is followed (I6). `nil` if the user chose the whole path.
    package var root: String?
    /// The mount point of the disk that the destination was on when the download was added; `nil` for the disk of `/`, and if
    /// that is unknown.
    package var mountPoint: String?
    /// The length that a listing gives for the file, in bytes. A body of another length is not used, unless it is decoded: a
    /// listing has the length of the encoded form. `nil` if no listing says it.
    package var listedLength: Int64?
    /// The options that apply to any HTTP exchange.
    package var exchange = ExchangeTerms()
    /// The options that apply to any kind of work.
    package var terms = WorkTerms()

    /// Whether the file is sealed.
    package var isSealed: Bool { sealedFor != nil }

    /// Whether a digest is given that shows whether an existing file is the wanted one. A sealed file cannot be read
    /// without its key.
    package var canProveFile: Bool { !isSealed && (checksum != nil || pieces != nil) }

    /// The maximum length that is heeded, in bytes. Less than 0 allows only an empty file. `nil` is no limit but
    /// ``ByteRange/longestResource``.
    package var mostLength: Int64? {
        guard let maximumLength, maximumLength < ByteRange.longestResource else { return nil }
        return max(0, maximumLength)
    }

    /// Maximum number of connections that are used.
    package var mostConnections: Int { connections ?? (isInOrder ? 1 : Self.defaultConnections) }

    /// Maximum number of connections of a download that does not set one.
    public static let defaultConnections = 8
    /// The numbers of connections that a download may have.
    public static let connectionsRange = 1...64

    /// Options with every default.
    public init() {}

    /// Reads options. A field that is missing, because an older Ferry wrote them, has its default.
    public init(from decoder: any Decoder) throws {
        self.init()
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        existingFile = try fields.value(of: .existingFile) ?? existingFile
        update = try fields.value(of: .update)
        onChange = try fields.value(of: .onChange) ?? onChange
        strictResume = try fields.value(of: .strictResume) ?? strictResume
        strictType = try fields.value(of: .strictType)
        serverTime = try fields.value(of: .serverTime)
        checksum = try fields.value(of: .checksum)
        ignoresServerDigests = try fields.value(of: .ignoresServerDigests) ?? ignoresServerDigests
        keepsMismatch = try fields.value(of: .keepsMismatch) ?? keepsMismatch
        mirrors = try fields.value(of: .mirrors) ?? mirrors
        length = try fields.value(of: .length)
        maximumLength = try fields.value(of: .maximumLength)
        pieces = try fields.value(of: .pieces)
        ignoresServerMirrors = try fields.value(of: .ignoresServerMirrors) ?? ignoresServerMirrors
        ignoredQuery = try fields.value(of: .ignoredQuery) ?? ignoredQuery
        range = try fields.value(of: .range)
        connections = try fields.value(of: .connections)
        inOrder = try fields.value(of: .inOrder)
        sealedFor = try fields.value(of: .sealedFor)
        retried = try fields.value(of: .retried)
        cache = try fields.value(of: .cache)
        root = try fields.value(of: .root)
        mountPoint = try fields.value(of: .mountPoint)
        listedLength = try fields.value(of: .listedLength)
        exchange = try fields.value(of: .exchange) ?? exchange
        terms = try fields.value(of: .terms) ?? terms
    }
}

// MARK: Any work, any exchange

extension DownloadOptions {
    /// Maximum number of retries after failures; 0 tries once.
    public var retries: Int {
        get { terms.retries }
        set { terms.retries = newValue }
    }

    /// Maximum speed of this transfer, in addition to the limit on all transfers together.
    public var rateLimit: RateLimit {
        get { terms.rateLimit }
        set { terms.rateLimit = newValue }
    }

    /// When this transfer may run. Outside the window it waits (``WaitCondition/window(opens:)``). A transfer that
    /// runs when the window closes stops, keeps its bytes and waits for the next opening. A stream cannot be resumed,
    /// so it only begins within the window.
    public var window: TimeWindow {
        get { terms.window }
        set { terms.window = newValue }
    }

    /// Whether this transfer may also run while its application is in the background
    /// (``BackgroundPolicy``). Otherwise it is then checkpointed and released, and waits
    /// (``WaitCondition/applicationInactive``). A stream that has begun cannot be resumed, so it keeps running.
    public var runsInBackground: Bool {
        get { terms.runsInBackground }
        set { terms.runsInBackground = newValue }
    }

    /// The deadline: after it, no attempt begins any more. A transfer that is queued, waits or is paused then fails
    /// (``TransferFailure/Code/deadlinePassed``), also while it is offline. An attempt that runs is finished. An engine
    /// of the store must run for that. With `nil` there is no deadline.
    public var notAfter: Instant? {
        get { terms.notAfter }
        set { terms.notAfter = newValue }
    }

    /// Fields added to every request to the first origin; never sent to another one (I7).
    public var headers: [HeaderField] {
        get { exchange.headers }
        set { exchange.headers = newValue }
    }

    /// Credentials for the first origin.
    public var credentials: Credentials? {
        get { exchange.credentials }
        set { exchange.credentials = newValue }
    }

    /// Maximum number of redirects to follow.
    public var redirectLimit: Int {
        get { exchange.redirectLimit }
        set { exchange.redirectLimit = newValue }
    }

    /// Whether to follow a redirect from https to http.
    public var allowsDowngrade: Bool {
        get { exchange.allowsDowngrade }
        set { exchange.allowsDowngrade = newValue }
    }

    /// How a connection is made.
    public var connection: ConnectionOptions {
        get { exchange.connection }
        set { exchange.connection = newValue }
    }

    /// The proxy for each URL, wherever redirects lead; `nil` uses that of ``connection`` for every URL.
    public var proxies: ProxyEnvironment? {
        get { exchange.proxies }
        set { exchange.proxies = newValue }
    }
}
