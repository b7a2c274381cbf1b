public import FerryCore
import FerrySealed

extension SealedFile {
    /// Opens a file that is sealed to recipients.
    ///
    /// Its header and its last chunk are read and verified. So a file that was cut short is not opened, whatever part of it is
    /// wanted.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the file, which must be a regular file without ASCII armor.
    ///   - identities: keys of which one opens the file.
    /// - Throws: ``SealedFileError``; ``StorageProblem`` when the file cannot be read.
    public static func open(_ path: String, with identities: [SealingIdentity]) async throws -> SealedFile {
        try await open(path, identities.map { .key($0.key) })
    }

    /// Opens a file that is sealed with a passphrase (age, "The scrypt recipient type"; RFC 7914).
    ///
    /// The file tells how much work that takes: usually 256 MiB of memory and about a second. More than 4 GiB is refused.
    ///
    /// - Parameter path: the absolute path of the file, which must be a regular file without ASCII armor.
    /// - Throws: ``SealedFileError``; ``StorageProblem`` when the file cannot be read.
    public static func open(_ path: String, passphrase: String) async throws -> SealedFile {
        guard let passphrase = Passphrase(passphrase) else {
            throw SealedFileError(
                .invalidKey,
                "The passphrase is empty. Give the one that the file is sealed with."
            )
        }
        return try await open(path, [.passphrase(passphrase)])
    }

    /// Writes all of it in clear to a file. The file gets its name when it is whole and durable.
    ///
    /// - Parameters:
    ///   - directory: the absolute path of its directory.
    ///   - name: its name.
    ///   - replacesExisting: whether a regular file with this name is replaced. Nothing else ever is.
    /// - Throws: ``SealedFileError`` with `damaged` for a chunk that was changed; ``StorageProblem`` when the name is taken, or
    ///   the file cannot be read or written. No file is left then.
    public func save(in directory: String, as name: FileName, replacesExisting: Bool = false) async throws {
        let place = FilePlace(directory: directory, name: name)
        try await PublishedFile.write(place, replacesExisting: replacesExisting) { file in
            try await reporting {
                try await payload.read(0..<length) { bytes in
                    try await file.write(bytes)
                    return true
                }
            }
        }
    }

    private static func open(_ path: String, _ identities: [Identity]) async throws -> SealedFile {
        let file = try await bytes(of: path)
        do {
            let header = try await file.header()
            let nonce = try await file.nonce(after: header)
            // A passphrase takes long enough to be kept from the threads of tasks.
            let key = try await onThread {
                try SealedPreamble(opening: header, nonce: nonce, with: identities).key
            }
            return SealedFile(try await file.payload(after: header, key), path: path)
        } catch let problem as SealedProblem {
            let beginning = problem == .notSealed ? try await file.bytes(0..<min(4_096, file.length)) : []
            guard !ArmorReader.isArmored(beginning) else { throw SealedFileError.armored(path) }
            throw SealedFileError(problem, path: path)
        }
    }
}

extension SealingIdentity {
    /// Makes a new identity, with random numbers of this machine.
    public init() {
        var random = SystemRandomNumberGenerator()
        self.init(X25519Identity(using: &random))
    }

    /// Reads the identities of a file, one a line, as `age-keygen` writes it. Empty lines and lines that begin with `#` are
    /// ignored.
    ///
    /// - Parameter path: the absolute path of a regular file of up to 1 MiB.
    /// - Throws: ``SealedFileError`` with `invalidKey` for a line that is not an identity, and for a file without any;
    ///   ``StorageProblem`` when the file cannot be read.
    public static func read(_ path: String) async throws -> [SealingIdentity] {
        let file = try await SealedFile.bytes(of: path)
        guard file.length <= Int64(KeyFile.longest) else {
            throw SealedFileError(
                .invalidKey,
                "\(path) is too long for a file of identities. Give another file."
            )
        }
        let bytes = try await file.bytes(0..<file.length)
        do throws(KeyFile.Fault) {
            return try KeyFile.identities(bytes).map { SealingIdentity($0) }
        } catch {
            throw SealedFileError(error, path: path)
        }
    }
}
