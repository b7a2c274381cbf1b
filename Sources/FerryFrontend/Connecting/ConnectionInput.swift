/// How servers are reached, as texts that are not checked yet.
package struct ConnectionInput: Hashable, Sendable {
    /// Maximum number of retries.
    package var retries: Int?
    /// Seconds without a byte after which an attempt ends.
    package var timeout: String?
    /// Seconds after which connecting ends.
    package var connectTimeout: String?
    /// The speed below which an attempt ends, such as `10k`.
    package var lowSpeedLimit: String?
    /// Seconds for which the speed may be too low.
    package var lowSpeedTime: String?
    /// The URL of a proxy; empty for none.
    package var proxy: String?
    /// Hosts that are reached without a proxy.
    package var proxyExceptions: String?
    /// A file of certificates in PEM form.
    package var certificateAuthorityFile: String?
    /// A file with a client certificate in PEM form.
    package var certificateFile: String?
    /// A file with its private key in PEM form; `nil` if the key is in the certificate's file.
    package var keyFile: String?
    /// Whether no certificate is verified.
    package var insecure = false
    /// Whether only IPv4 is used.
    package var ipv4 = false
    /// Whether only IPv6 is used.
    package var ipv6 = false
    /// The local address or the interface to connect from.
    package var interface: String?
    /// Addresses of hosts, each as `HOST:PORT:ADDRESS[,ADDRESS]…`.
    package var resolve: [String] = []

    package init() {}

    /// Refuses options that contradict one another.
    func checkConflicts() throws(CommandFailure) {
        if insecure, certificateAuthorityFile != nil {
            throw .usage(
                "--insecure and --cacert cannot be used together: --insecure verifies no certificate."
            )
        }
        if keyFile != nil, certificateFile == nil { throw .usage("--cert-key needs --cert.") }
        if ipv4, ipv6 {
            throw .usage("--ipv4 and --ipv6 cannot be used together. Without either, both are used.")
        }
        if lowSpeedTime != nil, lowSpeedLimit == nil {
            throw .usage("--low-speed-time needs --low-speed-limit.")
        }
    }
}
