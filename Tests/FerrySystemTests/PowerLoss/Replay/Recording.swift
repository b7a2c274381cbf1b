import Glibc

/// One traced run of a flow: the disk before it, and all that was done to the disk.
struct Recording: Sendable {
    let disk: Disk
    let operations: [DiskOperation]
    /// After which operation each step had ended.
    let ends: [Int]
    /// The files whose inodes are kept in the vault.
    let kept: [NodeID: String]
    /// Their inode numbers.
    let inodes: [NodeID: UInt]
    /// When their bytes were last changed.
    let modified: [NodeID: timespec]

    /// How many promises were made before a cut: by what was said, and by what had ended.
    func promises(before cut: Int) -> Int {
        operations.prefix(cut).count {
            switch $0 {
            case .say, .exit: true
            default: false
            }
        }
    }
}
