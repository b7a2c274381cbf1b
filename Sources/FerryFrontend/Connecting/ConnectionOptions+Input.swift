import Ferry

extension ConnectionOptions {
    /// Applies the connection options of a command line.
    mutating func apply(
        _ input: ConnectionInput,
        environment: ProcessEnvironment
    ) throws(CommandFailure) {
        if let text = input.timeout { idleTimeout = try Seconds.parse(text, option: "--timeout") }
        if let text = input.connectTimeout {
            connectTimeout = try Seconds.parse(text, option: "--connect-timeout")
        }
        if let text = input.lowSpeedTime {
            lowSpeedTime = try Seconds.parse(text, option: "--low-speed-time")
        }
        if let text = input.lowSpeedLimit {
            do {
                lowSpeedLimit = try ByteCount(parsing: text).bytes
            } catch {
                throw .usage("--low-speed-limit: \(error.description)")
            }
        }
        trustsAnyCertificate = input.insecure
        try applyAddresses(input)
        certificateAuthorityFile = try input.certificateAuthorityFile.map { file throws(CommandFailure) in
            try Self.path(
                file,
                environment,
                hint: "--cacert needs a file of certificates in PEM form."
            )
        }
        clientCertificate = try input.certificateFile.map { file throws(CommandFailure) in
            ClientCertificate(
                certificateFile: try Self.path(
                    file,
                    environment,
                    hint: "--cert needs a file with a client certificate in PEM form."
                ),
                keyFile: try input.keyFile.map { file throws(CommandFailure) in
                    try Self.path(
                        file,
                        environment,
                        hint: "--cert-key needs a file with a private key in PEM form."
                    )
                }
            )
        }
    }

    /// The absolute path of a PEM file that can be read again for each connection.
    private static func path(
        _ file: String,
        _ environment: ProcessEnvironment,
        hint: String
    ) throws(CommandFailure) -> String {
        let path = environment.absolutePath(file)
        let length: Int64
        do {
            length = try FileReader.check(path)
        } catch {
            throw CommandFailure(unreadable: QuotedWord(file).description, error, hint: hint)
        }
        guard length <= longestPEMFile else {
            throw .cannotOpen("Cannot read \(QuotedWord(file)): It is too long.", hint: hint)
        }
        return path
    }

    /// Applies the options that choose addresses.
    private mutating func applyAddresses(_ input: ConnectionInput) throws(CommandFailure) {
        if input.ipv4 != input.ipv6 { addressFamily = input.ipv4 ? .ipv4 : .ipv6 }
        if let text = input.interface {
            switch LocalEnd(text) {
            case nil:
                throw .usage("--interface must be the name of a network interface or a local IP address.")
            case .interface(let name): localAddress = name
            case .address(let address):
                guard address.family == addressFamily ?? address.family else {
                    throw .usage(
                        "--interface names an \(address.family) address, which \(address.family.other) cannot use."
                    )
                }
                localAddress = "\(address)"
            }
        }
        for text in input.resolve {
            do {
                hostOverrides.append(try HostOverride(parsing: text))
            } catch {
                throw .usage("--resolve: \(error.description)")
            }
        }
    }
}
