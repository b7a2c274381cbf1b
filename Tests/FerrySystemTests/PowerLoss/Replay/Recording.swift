import Glibc

/// One traced run of a flow: the disk before the run, and all operations on it.
struct Recording: Sendable {
    let disk: Disk
    let operations: [DiskOperation]
    /// The operation after which each step ended.
    let ends: [Int]
    /// The files whose inodes are kept in the vault.
    let kept: [NodeID: String]
    /// Their inode numbers.
    let inodes: [NodeID: UInt]
    /// Their modification times.
    let modified: [NodeID: timespec]

    /// How many guarantees were given before a cut: by output, and by commands that ended.
    func promises(before cut: Int) -> Int {
        operations.prefix(cut).count {
            switch $0 {
            case .say, .exit: true
            default: false
            }
        }
    }
}
