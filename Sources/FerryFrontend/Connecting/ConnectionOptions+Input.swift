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
        if let file = input.certificateAuthorityFile {
            let path = FilePath.absolute(
                FilePath.expandingTilde(file, home: environment.home),
                in: environment.workingDirectory
            )
            let length: Int64
            do {
                length = try FileReader.check(path)
            } catch {
                throw .unusableCertificates(file, error.reason)
            }
            guard length <= Self.longestCertificateAuthorityFile else {
                throw .unusableCertificates(file, "It is too long")
            }
            certificateAuthorityFile = path
        }
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

extension CommandFailure {
    fileprivate static func unusableCertificates(_ file: String, _ reason: String) -> CommandFailure {
        CommandFailure(
            .cannotOpen,
            code: "cannotOpen",
            "Cannot read \(QuotedWord(file)): \(reason).",
            hint: "--cacert needs a file of certificates in PEM form."
        )
    }
}
