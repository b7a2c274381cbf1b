import ArgumentParser
import FerryFrontend

/// The options for connections and retries.
struct ConnectionArguments: ParsableArguments {
    // A value that begins with a hyphen is a negative number, which is then refused with the allowed range.
    @Option(
        name: [.long, .customLong("retry")],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Retry up to N times after a failure (default 19, which takes about half an hour); 0 fails at once.",
            valueName: "count"
        )
    )
    var retries: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Fail an attempt after N seconds without data (default 60).", valueName: "seconds")
    )
    var timeout: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Fail a connection attempt after N seconds (default 30).", valueName: "seconds")
    )
    var connectTimeout: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fail an attempt slower than N bytes per second, such as 10k; 0 allows any speed (default 30, for a minute).",
            valueName: "size"
        )
    )
    var lowSpeedLimit: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Fail after N seconds below the given --low-speed-limit (default 30).",
            valueName: "seconds"
        )
    )
    var lowSpeedTime: String?

    @Option(
        help: ArgumentHelp(
            "Use this proxy: [http|socks4|socks4a|socks5|socks5h]://[user:password@]host:port.",
            valueName: "url"
        )
    )
    var proxy: String?

    @Option(
        name: .customLong("no-proxy"),
        help: ArgumentHelp("Use no proxy for these hosts; '*' means all hosts.", valueName: "list")
    )
    var proxyExceptions: String?

    @Option(
        name: .customLong("cacert"),
        help: ArgumentHelp(
            "Trust the certificates in this PEM file instead of the system's.",
            valueName: "file"
        ),
        completion: .file()
    )
    var certificateAuthorityFile: String?

    @Option(
        name: .customLong("cert"),
        help: ArgumentHelp(
            "Present the client certificate in this PEM file to a server that asks for one.",
            valueName: "file"
        ),
        completion: .file()
    )
    var certificateFile: String?

    // Not `--key`, as in curl: for a request, that option names the idempotency key.
    @Option(
        name: .customLong("cert-key"),
        help: ArgumentHelp(
            "Use the private key in this PEM file (default the file of --cert).",
            valueName: "file"
        ),
        completion: .file()
    )
    var keyFile: String?

    @Flag(
        name: [.customShort("k"), .long],
        help: "Do not verify the server's certificate. Anyone can then pretend to be the server."
    )
    var insecure = false

    @Flag(name: [.customShort("4"), .customLong("ipv4")], help: "Connect over IPv4 only.")
    var ipv4 = false

    @Flag(name: [.customShort("6"), .customLong("ipv6")], help: "Connect over IPv6 only.")
    var ipv6 = false

    @Option(
        help: ArgumentHelp(
            "Connect from this network interface or local IP address.",
            valueName: "name|address"
        )
    )
    var interface: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connect to these addresses for a host and port: host:port:address[,address]...; may be repeated.",
            valueName: "override"
        )
    )
    var resolve: [String] = []
}

extension ConnectionArguments {
    /// What was typed, as a plan takes it.
    var input: ConnectionInput {
        var input = ConnectionInput()
        input.retries = retries
        input.timeout = timeout
        input.connectTimeout = connectTimeout
        input.lowSpeedLimit = lowSpeedLimit
        input.lowSpeedTime = lowSpeedTime
        input.proxy = proxy
        input.proxyExceptions = proxyExceptions
        input.certificateAuthorityFile = certificateAuthorityFile
        input.certificateFile = certificateFile
        input.keyFile = keyFile
        input.insecure = insecure
        input.ipv4 = ipv4
        input.ipv6 = ipv6
        input.interface = interface
        input.resolve = resolve
        return input
    }
}
