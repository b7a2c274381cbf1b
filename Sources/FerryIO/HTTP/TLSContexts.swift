internal import FerryCore
internal import NIOCore
internal import NIOSSL
internal import Synchronization
internal import SystemPackage

/// The TLS contexts in use, one for each identity.
///
/// Making one reads all certificates of the system. So it is made once for all callers, on an I/O thread.
final class TLSContexts: Sendable {
    /// Maximum number kept.
    private static let limit = 16

    private let threads: IOThreads
    private let contexts = Mutex<[WireKey.TLSIdentity: Task<NIOSSLContext, any Error>]>([:])

    init(threads: IOThreads) {
        self.threads = threads
    }

    /// The context for an identity.
    ///
    /// - Throws: ``Problem`` when the file of certificates cannot be used.
    func context(for identity: WireKey.TLSIdentity) async throws -> NIOSSLContext {
        let making = contexts.withLock { contexts in
            if let making = contexts[identity] { return making }
            if contexts.count >= Self.limit { contexts = [:] }
            let making = Task { [threads] in try await threads.run { try Self.make(identity) } }
            contexts[identity] = making
            return making
        }
        do {
            return try await making.value
        } catch {
            // The file may exist at the next attempt.
            contexts.withLock { contexts in
                if contexts[identity] == making { contexts[identity] = nil }
            }
            throw error
        }
    }

    private static func make(_ identity: WireKey.TLSIdentity) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // How long a server may take to answer TLS's closing alert; no one needs the answer.
        configuration.shutdownTimeout = .milliseconds(200)
        // ``CertificateIdentity`` checks the name: NIOSSL would also accept the address of the socket.
        configuration.certificateVerification =
            identity.trustsAnyCertificate ? .none : .noHostnameVerification
        if let path = identity.certificateAuthorityFile {
            configuration.trustRoots = .certificates(try certificates(in: path))
        }
        return try NIOSSLContext(configuration: configuration)
    }

    private static func certificates(in path: String) throws -> [NIOSSLCertificate] {
        let certificates: [NIOSSLCertificate]
        do {
            // The parser would read a device, or a huge sparse file, without end.
            let file = try FileStatus(following: path)
            guard file.kind == .file, file.length <= ConnectionOptions.longestCertificateAuthorityFile
            else { throw Errno.invalidArgument }
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw unusable("The certificates in \(path) cannot be read.")
        }
        guard !certificates.isEmpty else { throw unusable("There is no certificate in \(path).") }
        return certificates
    }

    private static func unusable(_ message: String) -> Problem {
        .permanent(.cannotOpen, message, remedies: [.trustCertificates])
    }
}
