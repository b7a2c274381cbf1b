internal import FerryCore
internal import NIOCore
internal import NIOSSL
internal import Synchronization
internal import SystemPackage

/// The TLS contexts in use, one for each identity and the present state of its files.
///
/// Making one reads all certificates of the system. So it is made once for all callers, on an I/O thread.
final class TLSContexts: Sendable {
    /// Maximum number kept.
    private static let limit = 16

    /// What a context is made of. Files are replaced while a service runs: client certificates often last for days only.
    private struct Source: Hashable {
        let identity: WireKey.TLSIdentity
        let files: [FileStatus]
    }

    private let threads: IOThreads
    private let contexts = Mutex<[Source: Task<NIOSSLContext, any Error>]>([:])

    init(threads: IOThreads) {
        self.threads = threads
    }

    /// The context for an identity.
    ///
    /// - Throws: ``Problem`` when a file of certificates, or the private key, cannot be used.
    func context(for identity: WireKey.TLSIdentity) async throws -> NIOSSLContext {
        let files =
            identity.files.isEmpty ? [] : try await threads.run { try identity.files.map { try $0.check() } }
        let source = Source(identity: identity, files: files)
        let making = contexts.withLock { contexts in
            if let making = contexts[source] { return making }
            if contexts.count >= Self.limit { contexts = [:] }
            let making = Task { [threads] in try await threads.run { try NIOSSLContext(identity) } }
            contexts[source] = making
            return making
        }
        do {
            return try await making.value
        } catch {
            // The file may be usable at the next attempt.
            contexts.withLock { contexts in
                if contexts[source] == making { contexts[source] = nil }
            }
            throw error
        }
    }
}

extension NIOSSLContext {
    fileprivate convenience init(_ identity: WireKey.TLSIdentity) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // How long a server may take to answer TLS's closing alert; no one needs the answer.
        configuration.shutdownTimeout = .milliseconds(200)
        // ``CertificateIdentity`` checks the name: NIOSSL would also accept the address of the socket.
        configuration.certificateVerification =
            identity.trustsAnyCertificate ? .none : .noHostnameVerification
        if let file = identity.authorities {
            configuration.trustRoots = .certificates(try file.certificates())
        }
        if let (chain, key) = identity.client {
            configuration.certificateChain = try chain.certificates().map { .certificate($0) }
            configuration.privateKey = .privateKey(try key.privateKey())
        }
        do {
            try self.init(configuration: configuration)
        } catch {
            throw identity.problem(of: error)
        }
    }
}

extension WireKey.TLSIdentity {
    /// The problem of a context that cannot be made, although its files can be read.
    func problem(of error: any Error) -> Problem {
        switch (error, client) {
        case (NIOSSLError.failedToLoadPrivateKey, let (chain, key)?):
            return key.unfinished(
                "The private key in \(key.path) does not belong to the certificate in \(chain.path).",
                beside: chain
            )
        case (NIOSSLError.failedToLoadCertificate, let (chain, _)?):
            return chain.unusable("The certificate in \(chain.path) cannot be used for TLS.")
        default:
            // BoringSSL gives its reasons only as text.
            let reason = "\(error)"
            if [Errno.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(where: {
                reason.contains("\($0)")
            }) {
                return .transient(
                    .cannotOpen,
                    "This process or machine has too many open files.",
                    remedies: [.raiseFileLimit, .retry]
                )
            }
            return .permanent(
                .tlsFailed,
                "TLS cannot be used on this machine. Perhaps the certificates that systems trust are not installed "
                    + "(ca-certificates).",
                remedies: [.trustCertificates, .retry]
            )
        }
    }

    /// The file of certificates to trust.
    fileprivate var authorities: PEMFile? {
        certificateAuthorityFile.map { PEMFile(path: $0, remedies: [.trustCertificates]) }
    }

    /// The files of the certificate to present.
    fileprivate var client: (chain: PEMFile, key: PEMFile)? {
        clientCertificate.map { certificate in
            func file(_ path: String) -> PEMFile {
                PEMFile(path: path, remedies: [.giveClientCertificate, .retry])
            }
            return (file(certificate.certificateFile), file(certificate.keyFile))
        }
    }

    /// All files that a context is made from.
    fileprivate var files: [PEMFile] {
        [authorities, client?.chain, client?.key].compactMap { $0 }
    }
}
