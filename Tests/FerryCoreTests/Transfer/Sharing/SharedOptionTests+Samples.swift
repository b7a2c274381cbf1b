import FerryCore
import Testing

extension SharedOptionTests {
    /// For each row of the table, options that differ from the plain ones only in this row.
    static let samples: [String: [@Sendable (inout DownloadOptions) throws -> Void]] = [
        "expected content": [
            { $0.checksum = try digest("0") }, { $0.checksum = try digest("1") }, { $0.length = 5 },
            { $0.length = 6 }, { ($0.checksum, $0.length) = (try digest("0"), 5) },
            { $0.pieces = try pieces(5) }, { ($0.pieces, $0.length) = (try pieces(5), 5) },
        ],
        "trusted certificates": [
            { $0.connection.trustsAnyCertificate = true }, { $0.connection.certificateAuthorityFile = "/a" },
            { $0.connection.certificateAuthorityFile = "/b" },
        ],
        "downgrade": [{ $0.allowsDowngrade = true }],
        "proxy": [
            { $0.connection.proxy = try Proxy(parsing: "http://p:1") },
            { $0.proxies = try ProxyEnvironment(["all_proxy": "http://p:1"]) },
            { $0.proxies = try ProxyEnvironment(["all_proxy": "http://q:1"]) },
        ],
        "address family": [
            { $0.connection.addressFamily = .ipv4 }, { $0.connection.addressFamily = .ipv6 },
        ],
        "local address": [
            { $0.connection.localAddress = "eth0" }, { $0.connection.localAddress = "::1" },
        ],
        "host overrides": [
            { $0.connection.hostOverrides = [try HostOverride(parsing: "a:1:127.0.0.1")] },
            { $0.connection.hostOverrides = [try HostOverride(parsing: "[::1]:1:::2,127.0.0.1")] },
        ],
        "server digests": [{ $0.ignoresServerDigests = true }],
        "strict resume": [{ $0.strictResume = true }],
        "mirrors": [
            { $0.mirrors = [try HTTPURL(parsing: "http://a/")] },
            { $0.mirrors = [try HTTPURL(parsing: "http://b/")] },
            { $0.mirrors = [try HTTPURL(parsing: "http://a/"), try HTTPURL(parsing: "http://b/")] },
            { $0.ignoresServerMirrors = true },
        ],
        "credentials": [
            { $0.credentials = .bearer(token: "a") }, { $0.credentials = .bearer(token: "b") },
        ],
        "client certificate": [
            { $0.connection.clientCertificate = ClientCertificate(certificateFile: "/a") },
            { $0.connection.clientCertificate = ClientCertificate(certificateFile: "/a", keyFile: "/b") },
        ],
        "object store": [
            {
                var store = ObjectStoreReference()
                store.profile = "work"
                $0.exchange.store = store
            },
            {
                var store = ObjectStoreReference()
                store.region = "eu-west-1"
                $0.exchange.store = store
            },
        ],
        "headers": [
            { $0.headers = [.init(name: "X", value: "1")] }, { $0.headers = [.init(name: "X", value: "2")] },
            {
                $0.headers = [.init(name: "Cookie", value: "a=1")]
                $0.exchange.hasLoadedCookies = true
            },
        ],
        "existing file": [{ $0.existingFile = .overwrite }],
        "update": [{ $0.updates = true }],
        "cache": [
            { $0.cache = CacheTerms(pool: "a") },
            { $0.cache = CacheTerms(pool: "a", kind: "thumbnail") },
        ],
        "root": [{ $0.root = "/a" }],
        "mount point": [{ $0.mountPoint = "/a" }],
        "listed length": [{ $0.listedLength = 5 }],
        "order": [{ $0.isInOrder = true }],
        "strict type": [{ $0.refusesPages = true }],
        "maximum length": [{ $0.maximumLength = 5 }, { $0.maximumLength = 6 }],
        "server time": [{ $0.keepsServerTime = true }],
        "retried statuses": [{ $0.retriedStatuses = [404] }, { $0.retriedStatuses = [404, 500] }],
        "recipients": [{ $0.recipients = ["age1a"] }, { $0.recipients = ["age1a", "age1b"] }],
        "range": [{ $0.range = .last(5) }, { $0.range = .from(0, through: 9) }],
        "change policy": [{ $0.onChange = .fail }],
        "kept mismatch": [{ $0.keepsMismatch = true }],
        "ignored query": [{ $0.ignoredQuery = ["token"] }],
        "retries": [{ $0.retries = 3 }],
        "redirect limit": [{ $0.redirectLimit = 3 }],
        "connections": [{ $0.connections = 3 }],
        "rate limit": [{ $0.rateLimit = try RateLimit(bytesPerSecond: 4_096) }],
        "window": [{ $0.window = try TimeWindow(parsing: "22:00-06:00") }],
        "deadline": [{ $0.notAfter = .epoch }],
        "background": [{ $0.runsInBackground = false }],
        "connect timeout": [{ $0.connection.connectTimeout = .seconds(3) }],
        "idle timeout": [{ $0.connection.idleTimeout = .seconds(3) }],
        "low-speed limit": [{ $0.connection.lowSpeedLimit = 3 }],
        "low-speed time": [{ $0.connection.lowSpeedTime = .seconds(3) }],
    ]

    static func digest(_ digit: String) throws -> Checksum {
        try Checksum(parsing: "md5=" + String(repeating: digit, count: 32))
    }

    static func pieces(_ length: Int64) throws -> PieceDigests {
        try #require(PieceDigests(length: length, checksums: [try digest("2")]))
    }
}
