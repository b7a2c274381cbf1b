/// Identifies a file independently of its name: device and inode number, and its creation time.
///
/// Two identities are equal if device and inode number are. That is exact while the file system stays mounted. The
/// device number may change at a boot or remount; use ``isSameFile(as:)`` then.
package struct FileIdentity: Sendable, Codable {
    /// The device that the file system is on.
    package var device: UInt64
    /// The inode number within it.
    package var inode: UInt64
    /// The creation time in nanoseconds since 1970, as the file system keeps it; `nil` if it keeps none.
    package var birth: Int64?

    /// Creates an identity.
    package init(device: UInt64, inode: UInt64, birth: Int64? = nil) {
        self.device = device
        self.inode = inode
        self.birth = birth
    }

    /// Whether this is the file that `other` was, even if its file system now has another device number.
    ///
    /// An inode number is reused when its file is gone, so under another device number it proves nothing. A creation
    /// time that is equal to the nanosecond is proof. If that time is unknown, the file is the same only if the device
    /// numbers are equal.
    package func isSameFile(as other: FileIdentity) -> Bool {
        guard inode == other.inode else { return false }
        if let birth, let theirs = other.birth { return birth == theirs }
        return device == other.device
    }
}

extension FileIdentity: Hashable {
    /// Whether device and inode number are the same.
    package static func == (lhs: FileIdentity, rhs: FileIdentity) -> Bool {
        lhs.device == rhs.device && lhs.inode == rhs.inode
    }

    /// Hashes device and inode number.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(device)
        hasher.combine(inode)
    }
}
