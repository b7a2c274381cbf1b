/// A certificate for 127.0.0.1 that no authority has signed.
struct Certificate: Sendable {
    /// The certificate, in PEM.
    let path: String
    let keyPath: String

    /// Makes a certificate in the sandbox.
    ///
    /// - Parameter prefix: begins the names of its files.
    static func selfSigned(in sandbox: Sandbox, prefix: String = "") async throws -> Certificate {
        let certificate = Certificate(
            path: sandbox.root + "/\(prefix)certificate.pem",
            keyPath: sandbox.root + "/\(prefix)key.pem"
        )
        let outcome = try await sandbox.launch(
            executable: try Tool.openssl.requiredPath(),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2",
                "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                "-keyout", certificate.keyPath, "-out", certificate.path,
            ]
        ).outcome()
        guard outcome.status == 0 else {
            throw Overdue(what: "a certificate", after: .zero, said: outcome.errors)
        }
        return certificate
    }
}
