internal import FerryCore
internal import NIOSSL
internal import SystemPackage

/// A file of certificates or a private key in PEM form. Blocks; use it on an I/O thread.
///
/// No message quotes the file's content (I7).
struct PEMFile: Sendable {
    /// How long a renewal of a certificate and its key may take.
    private static let renewal = Duration.seconds(120)

    /// The absolute path.
    let path: String
    /// What to do when the file cannot be used.
    let remedies: [Remedy]

    /// Checks that the file can be read to its end, and returns its status. The parser would read a device, or a huge
    /// sparse file, without end.
    @discardableResult
    func check() throws(Problem) -> FileStatus {
        do throws(Errno) {
            let file = try FileStatus(following: path)
            if file.kind == .file, file.length <= ConnectionOptions.longestPEMFile { return file }
        } catch {
            throw unusable("The file \(path) cannot be read: \(error.description).")
        }
        throw unusable("\(path) is not a file of certificates or keys.")
    }

    /// The certificates, at least one.
    func certificates() throws(Problem) -> [NIOSSLCertificate] {
        try check()
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(path)
            if !certificates.isEmpty { return certificates }
        } catch {
            // The parser does not say what is wrong.
        }
        throw unfinished("There is no usable certificate in \(path).")
    }

    /// The private key.
    func privateKey() throws(Problem) -> NIOSSLPrivateKey {
        try check()
        var isEncrypted = false
        do {
            return try NIOSSLPrivateKey(file: path, format: .pem) { (_: NIOSSLPassphraseSetter<[UInt8]>) in
                isEncrypted = true
            }
        } catch {
            guard isEncrypted else { throw unfinished("There is no usable private key in \(path).") }
            throw unusable(
                "The private key in \(path) is encrypted, which Ferry does not support.",
                [.decryptKey(path: path)]
            )
        }
    }

    /// The problem of a file that cannot be used as it is. In the middle of a renewal it may still be written, or the other
    /// file of its pair be missing. So shortly after a change the problem is transient.
    func unfinished(_ message: String, beside other: PEMFile? = nil) -> Problem {
        var problem = unusable(message)
        if isNew || other?.isNew == true { problem.disposition = .transient(retryAfter: nil) }
        return problem
    }

    /// Whether the file was changed within the time that a renewal takes.
    private var isNew: Bool {
        do throws(Errno) {
            guard let modified = try FileStatus(following: path).modified else { return false }
            return abs(SystemClock().now.milliseconds - modified / 1_000_000) < Self.renewal.wholeMilliseconds
        } catch {
            return false
        }
    }

    /// The problem of a file that cannot be used.
    func unusable(_ message: String, _ first: [Remedy] = []) -> Problem {
        .permanent(.cannotOpen, message, remedies: first + remedies)
    }
}
