/// How servers are reached, as texts that are not checked yet.
struct ConnectionInput: Sendable {
    /// Maximum number of connections for one file.
    var connections: Int?
    /// Maximum number of retries.
    var retries: Int?
    /// Seconds without a byte after which an attempt ends.
    var timeout: String?
    /// Seconds after which connecting ends.
    var connectTimeout: String?
    /// The speed below which an attempt ends, such as `10k`.
    var lowSpeedLimit: String?
    /// Seconds for which the speed may be too low.
    var lowSpeedTime: String?
    /// The URL of a proxy; empty for none.
    var proxy: String?
    /// Hosts that are reached without a proxy.
    var proxyExceptions: String?
    /// A file of certificates in PEM form.
    var certificateAuthorityFile: String?
    /// Whether no certificate is verified.
    var insecure = false
}
