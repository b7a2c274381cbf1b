package import FerryCore
internal import Synchronization

/// Files in memory that requests carry, for tests and simulations.
package final class MemoryBodyFiles: BodyFiles {
    private struct File {
        var bytes: [UInt8]
        var entry: FileSurvey.Entry
    }

    private struct State {
        var files: [String: File] = [:]
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
            state.files[path] = File(
                bytes: bytes,
                entry: FileSurvey.Entry(
                    identity: FileIdentity(device: 1, inode: state.latest),
                    length: Int64(bytes.count),
                    kind: .file,
                    modified: Int64(state.latest)
                )
            )
        }
    }

    /// Removes the file at a path.
    package func remove(_ path: String) {
        state.withLock { $0.files[path] = nil }
    }

    /// Notes which file is at a path now.
    package func pin(_ path: String) async throws(StorageProblem) -> PinnedFile {
        guard let file = state.withLock({ $0.files[path] }) else {
            throw StorageProblem(.permanent(.cannotOpen, "\(path) does not exist."), errno: 2)
        }
        return PinnedFile(path: path, file.entry)
    }

    /// Opens a body: all of it, in memory.
    package func open(_ body: StoredBody) async throws(Problem) -> RequestBody {
        guard !body.parts.isEmpty else { return .bytes(body.bytes) }
        let files = state.withLock { $0.files }
        var rest = body.bytes[...]
        var whole: [UInt8] = []
        for part in body.parts {
            switch part {
            case .bytes(let count):
                whole += rest.prefix(count)
                rest = rest.dropFirst(count)
            case .file(let pinned):
                guard let file = files[pinned.path], pinned.matches(file.entry) else {
                    throw .permanent(.bodyChanged, "\(pinned.path) was changed.", remedies: [.addAgain])
                }
                whole += file.bytes
            }
        }
        return .bytes(whole)
    }
}
