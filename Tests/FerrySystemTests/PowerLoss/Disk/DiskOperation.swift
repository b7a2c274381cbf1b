/// The effect of a system call on files and names.
enum DiskOperation: Sendable {
    /// A new directory, and its name.
    case makeDirectory(NodeID, name: String, in: NodeID)
    /// A new and empty file, and its name.
    case create(NodeID, name: String, in: NodeID)
    /// A new and empty file without a name.
    case createNameless(NodeID)
    /// Names that changed atomically, each with its new target.
    case bind([String: NodeID?], in: NodeID)
    /// Bytes that were passed to the kernel.
    case write([UInt8], to: NodeID, at: Int)
    /// A new length.
    case resize(NodeID, to: Int)
    /// A file that is mapped and written through memory, so that it is unknown which bytes are on the disk.
    case map(NodeID)
    /// The start of a sync of a file or a directory. The sync covers only earlier changes.
    case beginSync(Int, of: NodeID)
    /// The end of the sync with this number. The changes that it covers are durable.
    case endSync(Int)
    /// The command wrote to its standard output.
    case say(String)
    /// The command began to send a request other than `GET` to this path. From now on it may have arrived.
    case depart(String)
    /// The command ended.
    case exit(status: Int32)
}
