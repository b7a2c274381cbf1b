import Foundation
import NIOSSL
import Subprocess
import Testing

/// A self-signed certificate for `localhost` and 127.0.0.1, made by `openssl` in a directory of its own.
struct TestCertificate {
    let directory: URL
    var certificatePath: String { directory.appending(path: "certificate.pem").path }
    var keyPath: String { directory.appending(path: "key.pem").path }

    /// - Parameter names: the subjectAltName; `nil` for a certificate that has none, but only a common name.
    init(names: String? = "DNS:localhost,IP:127.0.0.1") async throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "ferry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let arguments =
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-keyout", keyPath, "-out", certificatePath,
            ] + (names.map { ["-addext", "subjectAltName=\($0)"] } ?? [])
        let made = try await run(.name("openssl"), arguments: Arguments(arguments), output: .discarded)
        try #require(made.terminationStatus.isSuccess)
    }

    /// What a server needs to present the certificate.
    ///
    /// - Parameters:
    ///   - client: the only certificate that clients may present, which they must; `nil` asks for none.
    ///   - version: the only version of TLS.
    func serverContext(
        demanding client: TestCertificate? = nil,
        over version: TLSVersion? = nil
    ) throws -> NIOSSLContext {
        let certificates = try NIOSSLCertificate.fromPEMFile(certificatePath)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: keyPath, format: .pem))
        )
        if let client {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(
                try NIOSSLCertificate.fromPEMFile(client.certificatePath)
            )
        }
        if let version {
            (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// Removes the files.
    func remove() throws {
        try FileManager.default.removeItem(at: directory)
    }
}
