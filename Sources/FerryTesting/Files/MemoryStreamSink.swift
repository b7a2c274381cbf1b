internal import FerryCore
internal import Synchronization

/// A stream that keeps the written bytes in memory.
final class MemoryStreamSink: StreamSink {
    private struct State {
        var position: Int64 = 0
        var isBroken = false
        var isClosed = false
    }

    private let fileSystem: MemoryPartFileSystem
    private let path: String
    private let algorithm: Checksum.Algorithm?
    private let state = Mutex(State())

    init(_ fileSystem: MemoryPartFileSystem, path: String, digest: Checksum.Algorithm?) {
        self.fileSystem = fileSystem
        self.path = path
        algorithm = digest
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        try state.withLock { (state) throws(StorageProblem) in
            guard !state.isClosed else { throw MemoryProblem.defect("\(path) was closed.") }
            guard !state.isBroken else { throw MemoryProblem.streamFailedBefore(path) }
            guard offset == state.position else {
                throw MemoryProblem.defect("\(path): byte \(offset) came at position \(state.position).")
            }
            do throws(StorageProblem) {
                try fileSystem.carryOut(.write) { (disk) throws(StorageProblem) in
                    disk.streams[path, default: []] += bytes
                }
            } catch {
                state.isBroken = true
                throw error
            }
            state.position += Int64(bytes.count)
        }
    }

    func digest() async -> Checksum? {
        algorithm.map { ReferenceDigest.digest($0, of: fileSystem.streamed(to: path)) }
    }

    func close() async {
        state.withLock { $0.isClosed = true }
    }
}
