/// Where the bytes of a download go.
public enum Destination: Sendable, Codable {
    /// A file below a directory. `name` is `nil` when the server or the URL names it.
    case file(directory: String, name: FileName?)
    /// A device, a FIFO or the process's own standard output: written in order, without a part file.
    case stream(path: String)

    /// The path of the process's own standard output as a stream.
    public static let standardOutput = Destination.stream(path: "-")
}

extension Destination: Hashable {
    /// Whether both are equal, byte for byte. `String` would treat canonically equivalent paths as equal.
    public static func == (one: Destination, other: Destination) -> Bool {
        switch (one, other) {
        case (.file(let directory, let name), .file(let otherDirectory, let otherName)):
            name == otherName && directory.hasSameOctets(as: otherDirectory)
        case (.stream(let path), .stream(let otherPath)): path.hasSameOctets(as: otherPath)
        case (.file, .stream), (.stream, .file): false
        }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .file(var directory, let name):
            directory.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // No text has this byte, so it ends one.
            hasher.combine(UInt8.max)
            hasher.combine(name)
        case .stream(var path):
            path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
        hasher.combine(UInt8.max)
    }
}

/// What to do when a file already has the final name.
public enum ExistingFilePolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Fail, and leave both files as they are. If a digest is asked for and the existing file has it, the transfer counts as
    /// completed without fetching anything.
    case fail
    /// Replace it. If ``Destination`` names no file, one that another transfer has saved since this one was added is not replaced:
    /// both then got one name by chance, and the transfer fails.
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
