import Ferry
import FerryFrontend

/// A setting for all commands: by its name in the configuration file, or by its variable in the environment.
enum SettingKey: String, CaseIterable, Hashable, Sendable {
    case jobs
    case connections
    case connectionsPerHost = "connections-per-host"
    case limitRate = "limit-rate"
    case retries
    case timeout
    case directory
    case window
    case userAgent = "user-agent"
    case proxy
    case noProxy = "no-proxy"
    case certificateAuthorities = "cacert"
    case clientCertificate = "cert"
    case clientKey = "cert-key"
    case dataDirectory = "data-dir"
    case color

    /// When a changed value takes effect in a service that reads its configuration again.
    enum Effect: Hashable, Sendable {
        /// At once, for everything that runs.
        case atOnce
        /// At the next start of the service.
        case atStart
        /// Only for transfers that commands add later.
        case whenAdded
    }

    /// The key's name in the file.
    var name: String { rawValue }

    /// The variable that sets it.
    var variable: String {
        "FERRY_" + rawValue.uppercased().map { $0 == "-" ? "_" : "\($0)" }.joined()
    }

    /// The allowed values, worded to follow "must be".
    var allowed: String {
        switch self {
        case .jobs, .connectionsPerHost: "a whole number from 1 to \(Self.most)"
        case .connections: "a whole number from 1 to \(DownloadOptions.connectionsRange.upperBound)"
        case .retries: "a whole number from 0 to 1000000"
        case .limitRate: "a rate such as \"10M\" or \"08:00,1M 19:00,off\", or \"off\""
        case .timeout: "a number of seconds above 0, such as 30 or 2.5"
        case .directory, .dataDirectory: "the path of a directory"
        case .window: "times such as \"22:00-06:00\" or \"mon-fri 22:00-06:00\", or \"off\""
        case .certificateAuthorities: "the path of a file of certificates in PEM form"
        case .clientCertificate: "the path of a file with a client certificate in PEM form"
        case .clientKey: "the path of a file with a private key in PEM form"
        case .userAgent: "a line of text"
        case .proxy: "[http|socks4|socks4a|socks5|socks5h]://[user:password@]host:port, or \"\" for none"
        case .noProxy: "a list of hosts separated by commas, or \"*\""
        case .color: "\"auto\" or \"never\""
        }
    }

    /// Whether the file may give it as a number; text is always allowed.
    var isNumeric: Bool {
        switch self {
        case .jobs, .connections, .connectionsPerHost, .retries, .timeout, .limitRate: true
        default: false
        }
    }

    /// Whether it is a path.
    var isPath: Bool {
        switch self {
        case .directory, .dataDirectory, .certificateAuthorities, .clientCertificate, .clientKey: true
        default: false
        }
    }

    /// When a changed value takes effect.
    var effect: Effect {
        switch self {
        case .jobs, .connectionsPerHost, .limitRate: .atOnce
        case .userAgent, .dataDirectory, .color: .atStart
        case .connections, .retries, .timeout, .directory, .window, .proxy, .noProxy,
            .certificateAuthorities, .clientCertificate, .clientKey:
            .whenAdded
        }
    }

    /// Maximum jobs, and connections to one server.
    static let most = 1000

    /// Whether the key allows a value.
    func accepts(_ text: String) -> Bool {
        do {
            switch self {
            case .jobs, .connectionsPerHost: return Self.number(text, in: 1...Self.most)
            case .connections: return Self.number(text, in: DownloadOptions.connectionsRange)
            case .retries: return Self.number(text, in: 0...1_000_000)
            case .limitRate: _ = try RateSchedule(parsing: text)
            case .window: _ = try TimeWindow(parsing: text)
            case .timeout: _ = try Seconds.parse(text, option: name)
            case .userAgent:
                _ = try ExchangeTerms.field("User-Agent: \(text)")
                return !text.isEmpty
            case .proxy: if !text.isEmpty { _ = try Proxy(parsing: text) }
            case .directory, .dataDirectory, .certificateAuthorities, .clientCertificate, .clientKey:
                return !text.isEmpty
            case .color: return ["auto", "never"].contains(text)
            case .noProxy: return true
            }
            return true
        } catch {
            return false
        }
    }

    private static func number(_ text: String, in range: ClosedRange<Int>) -> Bool {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
            return false
        }
        return range.contains(number)
    }

    /// Whether a value is secret: a proxy with a password.
    func isSecret(_ text: String) -> Bool {
        self == .proxy && text.contains("@")
    }
}
