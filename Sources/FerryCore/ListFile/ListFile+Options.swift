extension ListFile {
    /// An option below a URL. The names are those of aria2 (aria2c(1), "Input File"), and `window`, `max-filesize` and `retry-on`
    /// are Ferry's own.
    enum Option: String, CaseIterable {
        case out, dir, checksum, window, header, referer, split, pause, timeout
        case userAgent = "user-agent"
        case withoutCache = "http-no-cache"
        case connectionsPerServer = "max-connection-per-server"
        case rateLimit = "max-download-limit"
        case lowSpeedLimit = "lowest-speed-limit"
        case connectTimeout = "connect-timeout"
        case tries = "max-tries"
        case httpUser = "http-user"
        case httpPassword = "http-passwd"
        case allProxy = "all-proxy"
        case httpProxy = "http-proxy"
        case httpsProxy = "https-proxy"
        case noProxy = "no-proxy"
        case withoutNetrc = "no-netrc"
        case allowOverwrite = "allow-overwrite"
        case autoFileRenaming = "auto-file-renaming"
        case remoteTime = "remote-time"
        case maximumLength = "max-filesize"
        case retriedStatuses = "retry-on"

        /// Whether a second one adds to the first, or says no less than it.
        var mayBeRepeated: Bool {
            switch self {
            case .header, .referer, .userAgent, .withoutCache, .split, .connectionsPerServer: true
            default: false
            }
        }

        /// Whether it names proxies. An empty value stands for none.
        fileprivate var isOfProxies: Bool {
            switch self {
            case .allProxy, .httpProxy, .httpsProxy, .noProxy: true
            default: false
            }
        }
    }

    /// The names of the options that a list may have.
    package static var optionNames: [String] { Option.allCases.map(\.rawValue) }

    /// Options of aria2 that are accepted without effect; a warning names them. aria2 writes them into the lists of its sessions
    /// (`--save-session`). Those that begin with `bt`, `ftp`, `metalink` or `seed` are about what Ferry does not download.
    static let withoutEffect: Set = [
        "allow-piece-length-change", "always-resume", "async-dns", "bt-enable-hook-after-hash-check",
        "bt-enable-lpd", "bt-exclude-tracker", "bt-external-ip", "bt-force-encryption", "bt-hash-check-seed",
        "bt-load-saved-metadata", "bt-max-peers", "bt-metadata-only", "bt-min-crypto-level",
        "bt-prioritize-piece", "bt-remove-unselected-file", "bt-request-peer-speed-limit",
        "bt-require-crypto", "bt-save-metadata", "bt-seed-unverified", "bt-stop-timeout", "bt-tracker",
        "bt-tracker-connect-timeout", "bt-tracker-interval", "bt-tracker-timeout", "check-integrity",
        "content-disposition-default-utf8", "continue", "enable-http-keep-alive",
        "enable-http-pipelining", "enable-mmap", "enable-peer-exchange", "file-allocation",
        "follow-metalink", "follow-torrent", "force-save", "ftp-passwd", "ftp-pasv", "ftp-proxy",
        "ftp-proxy-passwd", "ftp-proxy-user", "ftp-reuse-connection", "ftp-type", "ftp-user", "gid",
        "http-accept-gzip", "http-auth-challenge", "index-out", "max-file-not-found",
        "max-mmap-limit", "max-resume-failure-tries", "max-upload-limit", "metalink-base-uri",
        "metalink-enable-unique-protocol", "metalink-language", "metalink-location", "metalink-os",
        "metalink-preferred-protocol", "metalink-version", "min-split-size", "no-file-allocation-limit",
        "no-want-digest-header", "parameterized-uri", "pause-metadata", "piece-length",
        "proxy-method", "realtime-chunk-checksum", "remove-control-file", "retry-wait", "reuse-uri",
        "rpc-save-upload-metadata", "save-not-found", "seed-ratio", "seed-time", "select-file",
        "ssh-host-key-md", "stream-piece-selector", "uri-selector", "use-head",
    ]

    /// The longest time that counts, a year in seconds, and the most retries.
    fileprivate static let longestTime: Int64 = 366 * 86_400, mostRetries: Int64 = 1_000_000
}

extension ListFile.Entry {
    /// Applies `NAME=VALUE`.
    ///
    /// - Returns: the option; `nil` if it has no effect.
    mutating func apply(_ line: ArraySlice<UInt8>) throws(ListFile.Reason) -> ListFile.Option? {
        let equals = line.firstIndex(of: 0x3D)
        let name = line[..<(equals ?? line.endIndex)].trimmingBlanks.text
        guard !ListFile.withoutEffect.contains(name) else {
            ignored.append(name)
            return nil
        }
        if let option = UnsupportedListOption(rawValue: name) {
            guard let equals, option.isIdle(line[(equals + 1)...].trimmingBlanks.text) else {
                throw .unsupportedOption(option)
            }
            ignored.append(name)
            return nil
        }
        guard let option = ListFile.Option(rawValue: name) else {
            throw .unknownOption(ListFile.quotable(name))
        }
        guard let equals else { throw .missingValue(option: name) }
        let value = line[(equals + 1)...].trimmingBlanks
        guard !value.isEmpty || option.isOfProxies else { throw .missingValue(option: name) }
        try apply(option, value)
        return option
    }

    private mutating func apply(
        _ option: ListFile.Option,
        _ value: ArraySlice<UInt8>
    ) throws(ListFile.Reason) {
        switch option {
        case .out, .dir:
            guard !value.contains(0) else { throw .controlCharacter(option: option.rawValue) }
            if option == .out { output = value.text } else { directory = value.text }
        case .checksum: checksum = try Self.checksum(value.text)
        case .window: window = try Self.window(value.text)
        case .header: try add(value.text)
        case .referer: try add("Referer: " + value.text)
        case .userAgent: try add("User-Agent: " + value.text)
        case .withoutCache: if try Self.isTrue(value, option) { try add("Cache-Control: no-cache") }
        case .split, .connectionsPerServer:
            connections = min(connections ?? .max, Int(clamping: try Self.count(value, option)))
        case .timeout: idleTimeout = try Self.time(value, option)
        case .connectTimeout: connectTimeout = try Self.time(value, option)
        case .tries:
            // In aria2, 0 is no limit.
            let tries = try Self.count(value, option, from: 0)
            retries = Int(tries == 0 ? ListFile.mostRetries : min(tries - 1, ListFile.mostRetries))
        case .rateLimit: rateLimit = try Self.rate(value.text)
        case .lowSpeedLimit: lowSpeedLimit = try Self.size(value.text)
        case .httpUser: user = value.text
        case .httpPassword: password = value.text
        case .allProxy, .httpProxy, .httpsProxy, .noProxy:
            proxies[String(option.rawValue.map { $0 == "-" ? "_" : $0 })] = value.text
        case .withoutNetrc: ignoresNetrc = try Self.isTrue(value, option)
        case .pause: isPaused = try Self.isTrue(value, option)
        case .allowOverwrite: overwrites = try Self.isTrue(value, option)
        case .autoFileRenaming: renames = try Self.isTrue(value, option)
        case .remoteTime: keepsServerTime = try Self.isTrue(value, option)
        case .maximumLength:
            maximumLength = try Self.size(value.text)
            guard maximumLength != 0 else { throw .invalidNumber(option: option.rawValue) }
        case .retriedStatuses: retriedStatuses = try Self.statuses(value.text)
        }
    }

    private mutating func add(_ header: String) throws(ListFile.Reason) {
        do {
            headers.append(try HeaderLine(forRequests: header))
        } catch {
            throw .invalidHeader(error)
        }
    }
}

/// The values of options.
extension ListFile.Entry {
    private static func isTrue(
        _ value: ArraySlice<UInt8>,
        _ option: ListFile.Option
    ) throws(ListFile.Reason) -> Bool {
        switch value.text {
        case "true": true
        case "false": false
        default: throw .notTrueOrFalse(option: option.rawValue)
        }
    }

    private static func count(
        _ value: ArraySlice<UInt8>,
        _ option: ListFile.Option,
        from least: Int64 = 1
    ) throws(ListFile.Reason) -> Int64 {
        guard let count = DecimalNumber(value)?.fitting, count >= least else {
            throw .invalidNumber(option: option.rawValue)
        }
        return count
    }

    private static func time(
        _ value: ArraySlice<UInt8>,
        _ option: ListFile.Option
    ) throws(ListFile.Reason) -> Duration {
        .seconds(min(try count(value, option), ListFile.longestTime))
    }

    private static func checksum(_ text: String) throws(ListFile.Reason) -> Checksum {
        do {
            return try Checksum(parsing: text)
        } catch {
            throw .invalidChecksum(error)
        }
    }

    private static func window(_ text: String) throws(ListFile.Reason) -> TimeWindow {
        do {
            return try TimeWindow(parsing: text)
        } catch {
            throw .invalidWindow(error)
        }
    }

    private static func rate(_ text: String) throws(ListFile.Reason) -> RateLimit {
        do {
            return try RateLimit(parsing: text)
        } catch {
            throw .invalidRate(error)
        }
    }

    private static func size(_ text: String) throws(ListFile.Reason) -> Int64 {
        do {
            return try ByteCount(parsing: text).bytes
        } catch {
            throw .invalidSize(error)
        }
    }

    private static func statuses(_ text: String) throws(ListFile.Reason) -> Set<Int> {
        do {
            return try StatusList(parsing: text).statuses
        } catch {
            throw .invalidStatuses(error)
        }
    }
}
