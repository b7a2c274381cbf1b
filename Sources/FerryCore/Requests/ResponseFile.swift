/// The file in which the body of a successful response is saved, however long it is.
public struct ResponseFile: Hashable, Sendable {
    /// The absolute path of its directory, which must exist.
    public var directory: String
    /// Its name.
    public var name: FileName
    /// Whether an existing regular file is replaced.
    public var replacesExisting: Bool

    /// Creates the description of a file.
    public init(directory: String, name: FileName, replacesExisting: Bool = false) {
        self.directory = directory
        self.name = name
        self.replacesExisting = replacesExisting
    }

    /// Where it is.
    package var place: FilePlace { FilePlace(directory: directory, name: name) }

    /// Where the file of this transfer is until it has its name. That is its part file's name, and no other transfer's.
    package func draft(of uuid: TransferUUID) -> FilePlace {
        FilePlace(directory: directory, name: FileName(unchecked: "\(uuid)"))
    }
}

extension ResponseFile: Codable {
    private enum CodingKeys: String, CodingKey {
        case directory, name, replacesExisting
    }

    /// Reads the description of a file.
    ///
    /// - Throws: `DecodingError`; `FileName.Invalid` for a name that no file can have.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            directory: try fields.decode(String.self, forKey: .directory),
            name: try FileName(userGiven: fields.decode(String.self, forKey: .name)),
            replacesExisting: try fields.decode(Bool.self, forKey: .replacesExisting)
        )
    }

    /// Writes the description.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(directory, forKey: .directory)
        try fields.encode(name.rawValue, forKey: .name)
        try fields.encode(replacesExisting, forKey: .replacesExisting)
    }
}
