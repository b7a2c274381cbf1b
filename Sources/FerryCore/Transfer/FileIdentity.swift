/// Which file this is, whatever its name: device and inode number.
public struct FileIdentity: Hashable, Sendable, Codable {
    /// The device that the file system is on.
    public var device: UInt64
    /// The inode number within it.
    public var inode: UInt64

    /// Creates an identity.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
