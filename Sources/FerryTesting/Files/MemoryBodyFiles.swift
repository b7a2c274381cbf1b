package import FerryCore
internal import Synchronization

/// Files in memory that requests carry, for tests and simulations.
package final class MemoryBodyFiles: BodyFiles {
    struct File {
        var bytes: [UInt8]
        var entry: FileSurvey.Entry
    }

    private struct State {
        /// The inode number under each path.
        var names: [String: UInt64] = [:]
        /// All files that ever were, by inode number: an open file stays when its name is gone.
        var files: [UInt64: File] = [:]
        /// The latest inode number, and the latest time of a change.
        var latest: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Creates a disk without files.
    package init() {}

    /// Puts a file at a path, in place of any other.
    package func put(_ bytes: [UInt8], at path: String) {
        state.withLock { state in
            state.latest += 1
            let entry = FileSurvey.Entry(
                identity: FileIdentity(device: 1, inode: state.latest),
                length: Int64(bytes.count),
                kind: .file,
                modified: Int64(state.latest)
            )
            state.names[path] = state.latest
            state.files[state.latest] = File(bytes: bytes, entry: entry)
        }
    }

    /// Writes other bytes, of the same number, into the file at a path.
    package func change(_ path: String) {
        state.withLock { state in
            guard let inode = state.names[path] else { return }
            state.latest += 1
            for index in state.files[inode]?.bytes.indices ?? 0..<0 {
                state.files[inode]?.bytes[index] ^= 0xFF
            }
            state.files[inode]?.entry.modified = Int64(state.latest)
        }
    }

    /// Removes the file at a path.
    package func remove(_ path: String) {
        state.withLock { $0.names[path] = nil }
    }

    /// The file with an inode number, as it is now.
    func file(_ inode: UInt64) -> File? { state.withLock { $0.files[inode] } }

    /// The file at a path; `nil` if there is none.
    package func pinned(_ path: String) -> PinnedFile? {
        state.withLock { state in
            state.names[path].flatMap { state.files[$0] }.map { PinnedFile(path: path, $0.entry) }
        }
    }

    /// Notes which file is at a path now.
    package func pin(_ path: String) async throws(StorageProblem) -> PinnedFile {
        guard let file = pinned(path) else {
            throw StorageProblem(.permanent(.cannotOpen, "\(path) does not exist."), errno: 2)
        }
        return file
    }

    /// Opens a body.
    package func open(_ body: StoredBody) async throws(Problem) -> RequestBody {
        guard !body.parts.isEmpty else { return .bytes(body.bytes) }
        var rest = body.bytes[...]
        var parts: [MemoryBodySource.Part] = []
        for part in body.parts {
            switch part {
            case .bytes(let count):
                parts.append(.bytes(Array(rest.prefix(count))))
                rest = rest.dropFirst(count)
            case .file(let wanted):
                let name = state.withLock { $0.names[wanted.path] }
                guard let file = name.flatMap(file), wanted.matches(file.entry) else {
                    throw MemoryBodySource.changed(wanted.path)
                }
                parts.append(.file(wanted))
            }
        }
        return .source(MemoryBodySource(parts, on: self))
    }
}
