internal import FerrySealed

/// Why a sealed file was not opened, or a text or file was not taken for keys. No byte of what it is about was given out.
///
/// The `code` is stable and may be matched on. The message is for people and may change. No secret is in it (I7).
public struct SealedFileError: Error, Hashable, Sendable {
    /// What went wrong; the stable part.
    public let code: Code
    /// What happened, and what to do, in sentences for a person.
    public let message: String

    /// The stable codes.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The file is not one of age, version 1, or its header is invalid.
        case notSealed
        /// The file can be opened only in another way: it is in ASCII armor, needs a kind of key that Ferry does not know,
        /// or its passphrase needs more memory than is allowed. Or it does not have the section that was asked for.
        case unsupported
        /// None of the identities opens the file, or the passphrase does not.
        case wrongKey
        /// The file was changed after it was sealed: it was cut short, parts of it are missing, out of order or of another
        /// file, or something was added.
        case damaged
        /// A text, or a line of a file, is not an identity; or the passphrase is empty.
        case invalidKey
    }

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}

extension SealedFileError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String { message }
}

extension SealedFileError {
    /// A sealed file that is not opened.
    init(_ problem: SealedProblem, path: String) {
        let (code, advice): (Code, String) =
            switch problem {
            case .notSealed, .unknownVersion, .header, .armor:
                (.notSealed, "Use a file in the format of age, version 1.")
            case .tooMuchWork, .wrongKey(.otherKind): (.unsupported, "Open it with another program.")
            case .wrongKey(.identity): (.wrongKey, "Give an identity of one of its recipients.")
            case .wrongKey(.passphrase): (.wrongKey, "Give the passphrase that it is sealed with.")
            case .headerChanged, .cutShort, .lastCutOrChanged, .changed, .moved, .extra, .emptyLast,
                .foreignPayload, .foreignOrChanged:
                (.damaged, "Fetch or copy the file again.")
            }
        let what = problem == .wrongKey(.passphrase) ? "No given passphrase opens it." : "\(problem)"
        self.init(code, "Cannot open \(path). \(what) \(advice)")
    }

    /// A file that is not read by sections.
    init(_ problem: SectionProblem, path: String) {
        self.init(.unsupported, "Cannot read a section of \(path). \(problem) Read the file as a whole.")
    }

    /// A file in ASCII armor.
    static func armored(_ path: String) -> SealedFileError {
        SealedFileError(
            .unsupported,
            "Cannot open \(path). It is in ASCII armor, of which no part can be read alone. Seal it again without armor."
        )
    }

    /// A text that is not an identity.
    init(_ problem: KeyProblem) {
        self.init(.invalidKey, "The text is not an identity. \(problem)")
    }

    /// A file that does not have identities.
    init(_ fault: KeyFile.Fault, path: String) {
        self.init(.invalidKey, "Cannot use the identities in \(path): \(fault)")
    }
}
