/// How a download is to be made; every field has the default of the command line.
public struct DownloadOptions: Hashable, Sendable, Codable {
    /// What to do when a file already has the final name.
    public var existingFile: ExistingFilePolicy = .fail
    /// What to do when the resource has changed.
    public var onChange: ChangePolicy = .automatic
    /// Whether to start over rather than resume where the server gives no strong validator.
    public var strictResume = false
    /// Fields added to every request to the first origin; never sent to another one (I7).
    public var headers: [HeaderField] = []
    /// Credentials for the first origin.
    public var credentials: Credentials?
    /// The digest that the file must have.
    public var checksum: Checksum?
    /// Whether to believe the bytes where the server gives a digest that they do not have.
    public var ignoresServerDigests: Bool {
        get { serverDigests == .ignore }
        set { serverDigests = newValue ? .ignore : nil }
    }
    /// Whether a file that has another digest than it should is left as it is, under the part file's name, rather
    /// than fetched over when the transfer is tried again.
    public var keepsMismatch: Bool {
        get { mismatch == .keep }
        set { mismatch = newValue ? .keep : nil }
    }
    /// Other URLs of the same content, the best first.
    ///
    /// One that does not agree with the rest on the length or on a digest is not used. Bytes of several URLs are put
    /// into one file only where a digest tells whether they belong together.
    public var mirrors: [HTTPURL] {
        get { mirrorList ?? [] }
        set { mirrorList = newValue.isEmpty ? nil : newValue }
    }
    /// The length that the file must have, in bytes; `nil` when only servers tell.
    public var length: Int64?
    /// The digests of the pieces of the file, by which the wrong ones alone are fetched again.
    public var pieces: PieceDigests?
    /// Whether to ask only the URLs that were given, and none that a server names as a mirror (RFC 6249).
    public var ignoresServerMirrors: Bool {
        get { serverMirrors == .ignore }
        set { serverMirrors = newValue ? .ignore : nil }
    }
    /// Parameters of the URL's query that do not say which file is meant, such as a session: two URLs that differ in
    /// nothing else are the same download. Those of known signatures need not be named.
    public var ignoredQuery: [String] {
        get { ignoredParameters ?? [] }
        set { ignoredParameters = newValue.isEmpty ? nil : newValue }
    }
    /// As they are stored: nothing where there are none.
    private var ignoredParameters: [String]?
    /// As they are stored: nothing where there are none.
    private var mirrorList: [HTTPURL]?
    /// As it is stored: nothing where they are asked.
    private var serverMirrors: ServerMirrors?
    private enum ServerMirrors: String, Codable { case ignore }
    /// As it is stored: nothing where the bytes are dropped.
    private var mismatch: Mismatch?
    private enum Mismatch: String, Codable { case keep }
    /// As it is stored: nothing where they are looked at.
    private var serverDigests: ServerDigests?
    private enum ServerDigests: String, Codable { case ignore }
    /// How often to try again after a failure; 0 tries once only.
    public var retries = 19
    /// How many redirects to follow.
    public var redirectLimit = 20
    /// Whether to follow a redirect from https to http.
    public var allowsDowngrade = false
    /// How many connections there may be at once, within ``connectionsRange``; `nil` leaves it to
    /// ``defaultConnections``.
    public var connections: Int?
    /// How fast this transfer may be, beside what limits all of them together.
    public var rateLimit: RateLimit {
        get { rate ?? .off }
        set { rate = newValue == .off ? nil : newValue }
    }

    /// When this transfer may run. Outside of it a transfer waits (``WaitCondition/window(opens:)``); one that runs when it
    /// closes stops, keeps its bytes and waits for the next opening. A stream only begins within it, as it could not be
    /// taken up again.
    public var window: TimeWindow {
        get { timeWindow ?? .always }
        set { timeWindow = newValue == .always ? nil : newValue }
    }

    /// Not stored where there is none, so that plain options stay the text that they always were.
    private var rate: RateLimit?
    /// As it is stored: nothing where it never closes.
    private var timeWindow: TimeWindow?
    /// How a connection is made.
    public var connection = ConnectionOptions()
    /// Through which proxy each URL is reached, wherever redirects lead; `nil` goes everywhere through that of
    /// ``connection``.
    public var proxies: ProxyEnvironment?

    /// How many connections a download has at most when nothing else is said.
    public static let defaultConnections = 8
    /// How many connections a download can be given.
    public static let connectionsRange = 1...64

    /// Options with every default.
    public init() {}

    /// Reads options. What an older Ferry did not know of has its default.
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
        connection = try fields.value(of: .connection) ?? connection
        proxies = try fields.value(of: .proxies)
    }

    /// How the connection to a URL is made.
    public func connection(to url: HTTPURL) -> ConnectionOptions {
        var connection = connection
        if let proxies { connection.proxy = proxies.proxy(for: url) }
        return connection
    }

    /// A header field as a user gives it.
    public struct HeaderField: Hashable, Sendable, Codable {
        /// The field's name.
        public var name: String
        /// The field's value; may be a secret, and is never shown.
        public var value: String

        /// Creates a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension DownloadOptions.HeaderField: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name; the value is never shown.
    public var description: String { "\(name): …" }

    /// The name; the value is never shown.
    public var debugDescription: String { description }

    /// A mirror that shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
