/// Which file this is, whatever its name: device and inode number, and when the file was made.
///
/// Two are equal when device and inode number are. That is exact as long as the file system stays mounted; the number
/// of a device may be another one after a boot or a remount, for which there is ``isSameFile(as:)``.
public struct FileIdentity: Sendable, Codable {
    /// The device that the file system is on.
    public var device: UInt64
    /// The inode number within it.
    public var inode: UInt64
    /// When the file was made, in nanoseconds since 1970, as its file system keeps it; `nil` where none does.
    public var birth: Int64?

    /// Creates an identity.
    public init(device: UInt64, inode: UInt64, birth: Int64? = nil) {
        self.device = device
        self.inode = inode
        self.birth = birth
    }

    /// Whether this is the file that `other` was, even if its file system has another number by now.
    ///
    /// An inode number is used again when its file is gone, and under another number of the file system it proves
    /// nothing at all. With the moment of its making, to the nanosecond, it does. Where that is not known, it is the
    /// same one within the same file system, and another one elsewhere.
    public func isSameFile(as other: FileIdentity) -> Bool {
        guard inode == other.inode else { return false }
        if let birth, let theirs = other.birth { return birth == theirs }
        return device == other.device
    }
}

extension FileIdentity: Hashable {
    /// Whether device and inode number are the same.
    public static func == (lhs: FileIdentity, rhs: FileIdentity) -> Bool {
        lhs.device == rhs.device && lhs.inode == rhs.inode
    }

    /// Feeds in device and inode number.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}
