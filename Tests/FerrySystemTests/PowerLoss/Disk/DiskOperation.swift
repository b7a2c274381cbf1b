/// What a system call did to files and names, or told about them.
enum DiskOperation: Sendable {
    /// A new directory, and its name.
    case makeDirectory(NodeID, name: String, in: NodeID)
    /// A new and empty file, and its name.
    case create(NodeID, name: String, in: NodeID)
    /// A new and empty file without a name.
    case createNameless(NodeID)
    /// Names that changed in one step, each with what it now leads to.
    case bind([String: NodeID?], in: NodeID)
    /// Bytes that were handed to the kernel.
    case write([UInt8], to: NodeID, at: Int)
    /// A new length.
    case resize(NodeID, to: Int)
    /// A file that is written through memory, so that nobody knows what of it is on the disk, nor when.
    case map(NodeID)
    /// A sync of a file or a directory was begun: it answers for what came before, and for no more.
    case beginSync(Int, of: NodeID)
    /// The sync of that number is over: what it answers for is durable.
    case endSync(Int)
    /// The command wrote to its standard output.
    case say(String)
    /// The command came to its end.
    case exit(status: Int32)
}
