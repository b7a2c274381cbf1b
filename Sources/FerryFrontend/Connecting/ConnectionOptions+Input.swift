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
