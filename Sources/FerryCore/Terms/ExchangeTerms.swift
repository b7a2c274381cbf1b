/// The terms of any HTTP exchange: what a request carries, its connection, and where redirects may lead.
public struct ExchangeTerms: Hashable, Sendable, Codable {
    /// Fields added to every request to the first origin; never sent to another one (I7).
    public var headers: [HeaderField] = [] {
        // Other fields are not from the file.
        didSet { loadedCookies = nil }
    }
    /// Whether the field `Cookie` was made from a file of cookies. If so, cookies that servers set replace those in it. A change of
    /// ``headers`` makes this false.
    package var hasLoadedCookies: Bool {
        get { loadedCookies ?? false }
        set { loadedCookies = newValue ? true : nil }
    }
    /// `nil` unless it is so, because options that are added later are stored only if they are not the default.
    private var loadedCookies: Bool?
    /// Credentials for the first origin.
    public var credentials: Credentials?
    /// Maximum number of redirects to follow.
    public var redirectLimit = 20
    /// Whether to follow a redirect from https to http.
    public var allowsDowngrade = false
    /// How a connection is made.
    public var connection = ConnectionOptions()
    /// The proxy for each URL, wherever redirects lead; `nil` uses that of ``connection`` for every URL.
    public var proxies: ProxyEnvironment?
    /// How the object store is reached, if the URL is the name of an object; `nil` gives nothing.
    public var store: ObjectStoreReference?

    /// Terms with every default.
    public init() {}

    /// Reads terms. A missing field has its default.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        headers = try fields.value(of: .headers) ?? headers
        loadedCookies = try fields.value(of: .loadedCookies)
        credentials = try fields.value(of: .credentials)
        redirectLimit = try fields.value(of: .redirectLimit) ?? redirectLimit
        allowsDowngrade = try fields.value(of: .allowsDowngrade) ?? allowsDowngrade
        connection = try fields.value(of: .connection) ?? connection
        proxies = try fields.value(of: .proxies)
        store = try fields.value(of: .store)
    }

    /// The value of `Authorization` that the first origin gets; `nil` for none.
    package func authorization(for url: HTTPURL) -> String? {
        if let field = headers.first(where: \.isAuthorization) { return field.value }
        let own = url.user.map { Credentials.basic(user: $0, password: url.password ?? "") }
        return (credentials ?? own)?.authorizationFieldValue
    }

    /// Replaces the credentials, however they were given.
    mutating func authorise(with fresh: Credentials) {
        headers.removeAll(where: \.isAuthorization)
        credentials = fresh
    }

    /// Returns how to connect to a URL.
    package func connection(to url: HTTPURL) -> ConnectionOptions {
        var connection = connection
        if let proxies { connection.proxy = proxies.proxy(for: url) }
        return connection
    }

    /// Adapts to a fresh URL. Another origin gets nothing that is only for servers that the user named (I7).
    ///
    /// - Returns: whether it is another origin.
    mutating func move(to url: HTTPURL, from former: HTTPURL) -> Bool {
        guard url.origin != former.origin else { return false }
        dropSecrets()
        return true
    }

    /// Drops what is only for servers that the user named (I7).
    mutating func dropSecrets() {
        credentials = nil
        connection.clientCertificate = nil
        headers = headers.filter { $0.isHarmless || $0.describesBody }
    }
}
