/// Where the bytes of a download go.
public enum Destination: Hashable, Sendable, Codable {
    /// A file below a directory. `name` is `nil` when the server or the URL names it.
    case file(directory: String, name: FileName?)
    /// A device, a FIFO or the process's own standard output: written in order, without a part file.
    case stream(path: String)

    /// The path of the process's own standard output as a stream.
    public static let standardOutput = Destination.stream(path: "-")
}

/// What to do when a file already has the final name.
public enum ExistingFilePolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Fail, and leave both files as they are.
    case fail
    /// Replace it.
    case overwrite
    /// Take the next free numbered name.
    case autoRename
    /// Count the transfer as completed without fetching anything.
    case noClobber
}

/// What to do when the resource has changed while part of the former version was received.
public enum ChangePolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Start over when the answer is a plausible new version; otherwise wait and ask again.
    case automatic
    /// Start over, whatever the answer looks like.
    case restart
    /// Fail, and leave the part file.
    case fail
    /// Leave the bytes and ask again later, in case the former version comes back.
    case keep
}
