/// One component of a path, safe to create below a destination directory (I6).
///
/// It is never empty, `.` or `..`, contains neither `/` nor NUL, and has at most 255 bytes of UTF-8, the limit of
/// Linux and Apple file systems. Names that differ in any byte are different names.
public struct FileName: Sendable {
    /// The name.
    public let rawValue: String

    /// The longest name, in bytes of UTF-8.
    public static let lengthLimit = 255

    /// Creates a name that the user chose; anything is allowed that the file system can hold.
    ///
    /// - Throws: ``Invalid`` when it is not a single component or is too long.
    public init(userGiven name: String) throws(Invalid) {
        switch name.utf8.count {
        case 0: throw .empty
        case Self.lengthLimit + 1..<Int.max: throw .tooLong(bytes: name.utf8.count)
        default: break
        }
        let bytes = name.utf8
        guard !bytes.elementsEqual(".".utf8), !bytes.elementsEqual("..".utf8) else { throw .dots }
        guard !bytes.contains(0x2F) else { throw .slash }
        guard !bytes.contains(0) else { throw .nul }
        rawValue = name
    }

    /// Creates a name that is known to obey these rules.
    init(unchecked name: String) {
        rawValue = name
    }

    /// Why a text is not a file name.
    public enum Invalid: Error, Hashable, Sendable {
        /// The text is empty.
        case empty
        /// It is `.` or `..`.
        case dots
        /// It has a `/`.
        case slash
        /// It has a NUL.
        case nul
        /// It is longer than ``FileName/lengthLimit``.
        case tooLong(bytes: Int)
    }
}

extension FileName.Invalid: CustomStringConvertible {
    /// The reason in one sentence for a person.
    public var description: String {
        switch self {
        case .empty: "The file name is empty."
        case .dots: "The file name is '.' or '..', which names a directory."
        case .slash: "The file name has a '/' in it."
        case .nul: "The file name has a NUL character in it."
        case .tooLong(let bytes):
            "The file name has \(bytes) bytes; a file system takes at most \(FileName.lengthLimit)."
        }
    }
}

extension FileName: Hashable {
    /// Whether both are equal, byte for byte. `String` would treat canonically equivalent names as equal.
    public static func == (lhs: FileName, rhs: FileName) -> Bool {
        lhs.rawValue.hasSameOctets(as: rhs.rawValue)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte) }
    }
}

extension FileName: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}

extension FileName: Codable {
    /// Reads the name. Throws `DecodingError.dataCorrupted` when it is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(userGiven: container.decode(String.self))
        } catch let error as Invalid {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.description)
        }
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
