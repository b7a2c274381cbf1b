/// A file as it was when a request that carries it was made. The request carries this file and no other: a file that
/// was changed or replaced since is not sent.
public struct PinnedFile: Hashable, Sendable {
    /// The path of the file; for a copy, its name in the directory of copies.
    public let path: String
    /// Whether it is a copy of a body that was not a file. Ferry made it, and removes it when the transfer is over.
    public let isCopy: Bool
    /// Its length in bytes.
    public let length: Int64
    /// Which file it is.
    package let identity: FileIdentity
    /// When its bytes were last changed, in nanoseconds since 1970; `nil` if unknown.
    package let modified: Int64?

    /// Pins a file.
    package init(path: String, _ entry: FileSurvey.Entry, isCopy: Bool = false) {
        (self.path, self.isCopy) = (path, isCopy)
        (length, identity, modified) = (entry.length, entry.identity, entry.modified)
    }

    /// Whether a file that was found under the path is still the same.
    package func matches(_ entry: FileSurvey.Entry) -> Bool {
        entry.kind == .file && entry.length == length && entry.modified == modified
            && entry.identity.isSameFile(as: identity)
    }

    /// Whether both are the same version of one file.
    package func isSame(as other: PinnedFile) -> Bool {
        length == other.length && modified == other.modified && identity.isSameFile(as: other.identity)
    }

    /// Whether both are the same version of one file, and its time of modification proves that.
    package func isCertainlySame(as other: PinnedFile) -> Bool {
        modified != nil && !isCopy && !other.isCopy && isSame(as: other)
    }
}

extension PinnedFile: Codable {
    private enum CodingKeys: String, CodingKey {
        case path, length, device, inode, birth, modified, isCopy
    }

    /// Reads a pinned file.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        path = try fields.decode(String.self, forKey: .path)
        length = try fields.decode(Int64.self, forKey: .length)
        guard length >= 0 else {
            throw DecodingError.dataCorruptedError(forKey: .length, in: fields, debugDescription: "below 0")
        }
        identity = FileIdentity(
            device: try fields.decode(UInt64.self, forKey: .device),
            inode: try fields.decode(UInt64.self, forKey: .inode),
            birth: try fields.value(of: .birth)
        )
        modified = try fields.value(of: .modified)
        isCopy = try fields.value(of: .isCopy) ?? false
    }

    /// Writes the pinned file.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(path, forKey: .path)
        try fields.encode(length, forKey: .length)
        try fields.encode(identity.device, forKey: .device)
        try fields.encode(identity.inode, forKey: .inode)
        try fields.encodeIfPresent(identity.birth, forKey: .birth)
        try fields.encodeIfPresent(modified, forKey: .modified)
        if isCopy { try fields.encode(isCopy, forKey: .isCopy) }
    }
}
