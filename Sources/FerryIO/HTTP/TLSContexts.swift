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
    private let missing = Mutex(MissingFiles())

    init(threads: IOThreads) {
        self.threads = threads
    }

    /// The context for an identity.
    ///
    /// - Throws: ``Problem`` when a file of certificates, or the private key, cannot be used (``PEMFile`` says for how long
    ///   such a problem is transient), or no context can be made on this machine at all. The latter is permanent, unless
    ///   descriptors are lacking.
    func context(for identity: WireKey.TLSIdentity) async throws -> NIOSSLContext {
        let files =
            identity.files.isEmpty
            ? [] : try await threads.run { try identity.files.map { try self.check($0) } }
        let source = Source(identity: identity, files: files)
        let making = contexts.withLock { contexts in
            if let making = contexts[source] { return making }
            if contexts.count >= Self.limit { contexts = [:] }
            let making = Task { [threads] in try await threads.run { try Self.newContext(identity) } }
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

    private func check(_ file: PEMFile) throws(Problem) -> FileStatus {
        let status = try file.check { missing.withLock { $0.mayComeBack(file.path, at: .uptime) } }
        missing.withLock { $0.found(file.path) }
        return status
    }

    private static func newContext(
        _ identity: WireKey.TLSIdentity,
        isSecondTry: Bool = false
    ) throws -> NIOSSLContext {
        do {
            return try NIOSSLContext(identity)
        } catch let problem as Problem {
            throw problem
        } catch {
            let lack = lackOfDescriptors
            // Descriptors may have been lacking until now, so without a lack only a second failure counts.
            if lack == nil, error is BoringSSLError, !isSecondTry {
                return try newContext(identity, isSecondTry: true)
            }
            throw identity.problem(of: error, lack: lack)
        }
    }

    /// Why no file can be opened at present; `nil` if one can. BoringSSL opens the system's certificates, and its errors
    /// have no type that says this.
    private static var lackOfDescriptors: Errno? {
        do throws(Errno) {
            Platform.close(try Platform.openForReading("/dev/null"))
            return nil
        } catch {
            return error.isLackOfDescriptors ? error : nil
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
        try self.init(configuration: configuration)
    }
}

extension WireKey.TLSIdentity {
    /// The problem of a context that cannot be made, although its files can be read.
    ///
    /// - Parameter lack: why no file can be opened at present; `nil` if one can.
    func problem(of error: any Error, lack: Errno? = nil) -> Problem {
        switch (error, client, authorities) {
        case (NIOSSLError.failedToLoadPrivateKey, let (chain, key)?, _):
            return key.unfinished(
                "The private key in \(key.path) does not belong to the certificate in \(chain.path).",
                beside: chain
            )
        case (NIOSSLError.failedToLoadCertificate, let (chain, _)?, _):
            return chain.unusable("The certificate in \(chain.path) cannot be used for TLS.")
        case (NIOSSLError.failedToLoadCertificate, nil, let file?):
            return file.unusable("A certificate in \(file.path) cannot be used for TLS.")
        default:
            break
        }
        if let lack {
            return .transient(
                .cannotOpen,
                "TLS cannot be used now, because no more files can be opened: \(lack.description).",
                remedies: [.raiseFileLimit, .retry]
            )
        }
        let message = "TLS cannot be used on this machine: \(error.reasonInTLS)."
        guard authorities == nil, !trustsAnyCertificate else {
            return .permanent(.tlsFailed, message, remedies: [.retry])
        }
        return .permanent(
            .tlsFailed,
            "\(message) Perhaps the certificates that systems trust are not installed (ca-certificates).",
            remedies: [.trustCertificates, .retry]
        )
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

extension Error {
    /// What BoringSSL says for a person to read. Nothing is decided by this text.
    fileprivate var reasonInTLS: String {
        switch self as? BoringSSLError {
        case .sslError(let stack)?, .unknownError(let stack)?, .failedToSetALPN(let stack)?:
            stack.isEmpty ? "no reason is known" : stack.map(\.description).joined(separator: ", ")
        default: "\(self)"
        }
    }
}
