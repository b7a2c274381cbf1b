/// The operation that the kernel refused. With the error number, it decides what the failure means.
enum FileOperation: String, Hashable, Sendable, CaseIterable {
    case openDirectory, survey, create, open, reserve, write, truncate, read, synchronize, rename, remove
    case synchronizeDirectory, freeSpace, openStream, writeStream, date

    /// The words of a message between `Cannot` and the path.
    var phrase: String {
        switch self {
        case .openDirectory: "open the directory"
        case .survey: "look at"
        case .create: "create"
        case .open: "open"
        case .reserve: "reserve space for"
        case .write: "write to"
        case .truncate: "set the length of"
        case .read: "read"
        case .synchronize, .synchronizeDirectory: "sync"
        case .rename: "rename"
        case .remove: "remove"
        case .freeSpace: "measure the free space of"
        case .openStream: "open"
        case .writeStream: "write to"
        case .date: "set the time of"
        }
    }

    /// The operations that need space on the disk, and can wait for it. A stream cannot: it keeps no bytes to resume from.
    static let growing: Set<FileOperation> = [
        .create, .reserve, .write, .truncate, .synchronize, .rename, .synchronizeDirectory, .date,
    ]
    /// The operations that change names in a directory, or need the right to.
    static let naming: Set<FileOperation> = [.openDirectory, .survey, .create, .rename, .remove, .freeSpace]
    /// The operations that change the bytes of an open file.
    static let changing: Set<FileOperation> = [.reserve, .write, .truncate, .synchronize, .writeStream]
    /// All operations.
    static let all = Set(allCases)
}
