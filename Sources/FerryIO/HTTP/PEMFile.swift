internal import FerryCore
internal import NIOSSL
internal import SystemPackage

/// A file of certificates or a private key in PEM form. Blocks; use it on an I/O thread.
///
/// A renewal replaces such files while they are in use. For ``renewal`` after it began, a file that is missing, half
/// written or does not match the other file of its pair is a transient problem. After that it is permanent. So is, at once, a
/// file that was never there (``MissingFiles``), and one that cannot be read for another reason.
///
/// No message quotes the file's content (I7).
struct PEMFile: Sendable {
    /// How long a renewal of a certificate and its key may take.
    static let renewal = Duration.seconds(120)

    /// The absolute path.
    let path: String
    /// What to do when the file cannot be used.
    let remedies: [Remedy]

    /// Checks that the file can be read to its end, and returns its status. A device, or a huge sparse file, has none.
    ///
    /// - Parameter mayComeBack: whether the file, if it is missing, is perhaps being replaced.
    func check(mayComeBack: () -> Bool) throws(Problem) -> FileStatus {
        do throws(Errno) {
            let file = try FileStatus(following: path)
            if file.kind == .file, file.length <= ConnectionOptions.longestPEMFile { return file }
        } catch {
            throw unreadable(error, isBeingReplaced: error == .noSuchFileOrDirectory && mayComeBack())
        }
        throw unusable("\(path) is not a file of certificates or keys.")
    }

    /// The bytes of the file, which was there a moment ago. The parser would not say why it cannot read them.
    private func content() throws(Problem) -> [UInt8] {
        let length = Int(try check { true }.length)
        do throws(Errno) {
            let file = try Platform.openForReading(path)
            defer { Platform.close(file) }
            return try [UInt8](unsafeUninitializedCapacity: length) { buffer, count throws(Errno) in
                let bytes = UnsafeMutableRawBufferPointer(buffer)
                while count < length {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[count..<length])
                    let read = try Platform.read(into: rest, from: file, at: Int64(count))
                    if read == 0 { break }
                    count += read
                }
            }
        } catch {
            throw unreadable(error, isBeingReplaced: error == .noSuchFileOrDirectory)
        }
    }

    /// The problem of a file that cannot be read.
    func unreadable(_ error: Errno, isBeingReplaced: Bool = false) -> Problem {
        let message = "The file \(path) cannot be read: \(error.description)."
        if error.isLackOfDescriptors {
            return .transient(.cannotOpen, message, remedies: [.raiseFileLimit, .retry])
        }
        var problem = unusable(message)
        if isBeingReplaced { problem.disposition = .transient(retryAfter: nil) }
        return problem
    }

    /// The certificates, at least one.
    func certificates() throws(Problem) -> [NIOSSLCertificate] {
        let bytes = try content()
        do {
            let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
            if !certificates.isEmpty { return certificates }
        } catch {
            // The parser does not say what is wrong.
        }
        throw unfinished("There is no usable certificate in \(path).")
    }

    /// The private key.
    func privateKey() throws(Problem) -> NIOSSLPrivateKey {
        let bytes = try content()
        var isEncrypted = false
        do {
            return try NIOSSLPrivateKey(bytes: bytes, format: .pem) { (_: NIOSSLPassphraseSetter<[UInt8]>) in
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

extension Errno {
    /// Whether this process, or the machine, has as many open files as it may have.
    var isLackOfDescriptors: Bool { self == .tooManyOpenFiles || self == .tooManyOpenFilesInSystem }
}
