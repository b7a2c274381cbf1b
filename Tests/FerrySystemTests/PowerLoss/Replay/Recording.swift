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

    /// Whether bytes of a resource were written to the disk as the server has them.
    func writesInClear(_ resources: [Flow.Resource]) -> Bool {
        let written = operations.flatMap { operation -> [UInt8] in
            if case .write(let bytes, _, _) = operation { bytes } else { [] }
        }
        return resources.contains { $0.content.appears(in: written) }
    }

    /// How often a request to this path had begun to leave before a cut.
    func departures(to path: String, before cut: Int) -> Int {
        departures(before: cut).count { $0 == path }
    }

    /// The paths of the requests that had begun to leave before a cut, in order.
    func departures(before cut: Int) -> [String] {
        operations.prefix(cut).compactMap { if case .depart(let path) = $0 { path } else { nil } }
    }

    /// How many guarantees were given before a cut: by output, by requests that left, and by commands that ended.
    func promises(before cut: Int) -> Int {
        operations.prefix(cut).count {
            switch $0 {
            case .say, .depart, .exit: true
            default: false
            }
        }
    }
}
