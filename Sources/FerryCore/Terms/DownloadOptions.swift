/// How to download. Every field has the default of the command line.
public struct DownloadOptions: Hashable, Sendable, Codable {
    /// What to do when a file already has the final name.
    public var existingFile: ExistingFilePolicy = .fail
    /// What to do when the resource has changed.
    public var onChange: ChangePolicy = .automatic
    /// Whether to start over rather than resume when the server gives no strong validator.
    public var strictResume = false
    /// Fields added to every request to the first origin; never sent to another one (I7).
    public var headers: [HeaderField] = []
    /// Credentials for the first origin.
    public var credentials: Credentials?
    /// The digest that the file must have.
    public var checksum: Checksum?
    /// Whether to accept bytes that do not have the digest given by the server.
    public var ignoresServerDigests: Bool {
        get { serverDigests == .ignore }
        set { serverDigests = newValue ? .ignore : nil }
    }
    /// Whether to keep a file with a wrong digest under the part file's name. Otherwise a retry overwrites it.
    public var keepsMismatch: Bool {
        get { mismatch == .keep }
        set { mismatch = newValue ? .keep : nil }
    }
    /// Other URLs of the same content, the best first.
    ///
    /// A mirror whose length or digest disagrees with the rest is not used. Bytes of several URLs are combined only
    /// if a digest tells whether they belong together.
    public var mirrors: [HTTPURL] {
        get { mirrorList ?? [] }
        set { mirrorList = newValue.isEmpty ? nil : newValue }
    }
    /// The length that the file must have, in bytes; `nil` accepts the server's.
    public var length: Int64?
    /// The digests of the pieces of the file. With them only wrong pieces are fetched again.
    public var pieces: PieceDigests?
    /// Whether to ask only the given URLs, and no mirror that a server names (RFC 6249).
    public var ignoresServerMirrors: Bool {
        get { serverMirrors == .ignore }
        set { serverMirrors = newValue ? .ignore : nil }
    }
    /// Query parameters that do not identify the file, such as a session. Two URLs that differ only in these are the
    /// same download. Parameters of known signatures need not be named.
    public var ignoredQuery: [String] {
        get { ignoredParameters ?? [] }
        set { ignoredParameters = newValue.isEmpty ? nil : newValue }
    }
    /// The stored form of ``ignoredQuery``; absent when empty.
    private var ignoredParameters: [String]?
    /// The stored form of ``mirrors``; absent when empty.
    private var mirrorList: [HTTPURL]?
    /// The stored form of ``ignoresServerMirrors``; absent when the mirrors are used.
    private var serverMirrors: ServerMirrors?
    private enum ServerMirrors: String, Codable { case ignore }
    /// The stored form of ``keepsMismatch``; absent when the bytes are dropped.
    private var mismatch: Mismatch?
    private enum Mismatch: String, Codable { case keep }
    /// The stored form of ``ignoresServerDigests``; absent when the digests are checked.
    private var serverDigests: ServerDigests?
    private enum ServerDigests: String, Codable { case ignore }
    /// Maximum number of retries after failures; 0 tries once.
    public var retries = 19
    /// Maximum number of redirects to follow.
    public var redirectLimit = 20
    /// Whether to follow a redirect from https to http.
    public var allowsDowngrade = false
    /// Maximum number of connections, within ``connectionsRange``; `nil` uses ``defaultConnections``.
    public var connections: Int?
    /// Maximum speed of this transfer, in addition to the limit on all transfers together.
    public var rateLimit: RateLimit {
        get { rate ?? .off }
        set { rate = newValue == .off ? nil : newValue }
    }

    /// When this transfer may run. Outside the window it waits (``WaitCondition/window(opens:)``). A transfer that
    /// runs when the window closes stops, keeps its bytes and waits for the next opening. A stream cannot be resumed,
    /// so it only begins within the window.
    public var window: TimeWindow {
        get { timeWindow ?? .always }
        set { timeWindow = newValue == .always ? nil : newValue }
    }

    /// Whether this transfer may also run while its application is in the background
    /// (``BackgroundPolicy``). Otherwise it is then checkpointed and released, and waits
    /// (``WaitCondition/applicationInactive``). A stream that has begun cannot be resumed, so it keeps running.
    public var runsInBackground: Bool {
        get { background ?? true }
        set { background = newValue ? nil : false }
    }

    /// The stored form of ``runsInBackground``; absent when it may.
    private var background: Bool?
    /// The stored form of ``rateLimit``; absent when off, so that the stored text of plain options never changes.
    private var rate: RateLimit?
    /// The stored form of ``window``; absent when it never closes.
    private var timeWindow: TimeWindow?
    /// How a connection is made.
    public var connection = ConnectionOptions()
    /// The proxy for each URL, wherever redirects lead; `nil` uses that of ``connection`` for every URL.
    public var proxies: ProxyEnvironment?

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
        onChange = try fields.value(of: .onChange) ?? onChange
        strictResume = try fields.value(of: .strictResume) ?? strictResume
        headers = try fields.value(of: .headers) ?? headers
        credentials = try fields.value(of: .credentials)
        checksum = try fields.value(of: .checksum)
        retries = try fields.value(of: .retries) ?? retries
        redirectLimit = try fields.value(of: .redirectLimit) ?? redirectLimit
        allowsDowngrade = try fields.value(of: .allowsDowngrade) ?? allowsDowngrade
        mirrorList = try fields.value(of: .mirrorList)
        ignoredParameters = try fields.value(of: .ignoredParameters)
        length = try fields.value(of: .length)
        pieces = try fields.value(of: .pieces)
        serverMirrors = try fields.value(of: .serverMirrors)
        mismatch = try fields.value(of: .mismatch)
        serverDigests = try fields.value(of: .serverDigests)
        connections = try fields.value(of: .connections)
        rateLimit = try fields.value(of: .rate) ?? .off
        window = try fields.value(of: .timeWindow) ?? .always
        runsInBackground = try fields.value(of: .background) ?? true
        connection = try fields.value(of: .connection) ?? connection
        proxies = try fields.value(of: .proxies)
    }

    /// Returns how to connect to a URL.
    package func connection(to url: HTTPURL) -> ConnectionOptions {
        var connection = connection
        if let proxies { connection.proxy = proxies.proxy(for: url) }
        return connection
    }
}
