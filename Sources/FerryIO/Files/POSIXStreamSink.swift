internal import FerryCore
internal import Synchronization
internal import SystemPackage

/// A FIFO, a device or standard output: bytes are written in order, and no byte is written twice.
///
/// A write to a reader that has gone fails with `EPIPE`, but only if the process ignores `SIGPIPE`. A single `write` to a
/// pipe has no flag for this. A library must not decide it for its program; the tool does.
final class POSIXStreamSink: StreamSink {
    private struct State {
        var position: Int64 = 0
        /// A write is running, or one failed halfway and it is unknown how much the reader received.
        var isBusy = false
        var isBroken = false
        var isClosed = false
        /// Writes no longer wait for the reader.
        var isInterrupted = false
    }

    private let descriptor: FileDescriptor
    private let path: String
    private let threads: IOThreads
    /// Whether a write waits until the reader takes it. A descriptor shared with other processes cannot be
    /// made non-blocking without changing theirs.
    private let mayBlock: Bool
    private let state = Mutex(State())

    /// Creates a sink that owns and closes `descriptor`: a duplicate, in the case of standard output.
    init(_ descriptor: FileDescriptor, path: String, threads: IOThreads) {
        self.descriptor = descriptor
        self.path = path == "-" ? "standard output" : path
        self.threads = threads
        mayBlock = Platform.canWait(descriptor) && !Platform.isNonBlocking(descriptor)
    }

    deinit {
        if !state.withLock({ $0.isClosed }) { Platform.close(descriptor) }
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        try begin(at: offset)
        do {
            try bytes.withUnsafeBytes { (buffer) throws(StorageProblem) in try writeAll(buffer) }
        } catch {
            state.withLock { $0.isBroken = true }
            throw error
        }
        state.withLock {
            $0.position += Int64(bytes.byteCount)
            $0.isBusy = false
        }
    }

    private func begin(at offset: Int64) throws(StorageProblem) {
        try state.withLock { (state) throws(StorageProblem) in
            guard !state.isClosed else { throw .defect("\(path) was written to after it was closed.") }
            guard !state.isBroken else {
                throw StorageProblem(
                    .permanent(.streamLost, "\(path) failed before, and a stream cannot be written twice."),
                    errno: 0
                )
            }
            guard !state.isBusy, offset == state.position else {
                throw .defect(
                    "\(path) is written in order: byte \(offset) came at position \(state.position)."
                )
            }
            state.isBusy = true
        }
    }

    /// How long a write waits for the reader before it checks for an interruption.
    private static let waitingInterval: Duration = .milliseconds(50)

    private func writeAll(_ buffer: UnsafeRawBufferPointer) throws(StorageProblem) {
        var done = 0
        while done < buffer.count {
            guard !state.withLock({ $0.isInterrupted }) else {
                throw StorageProblem(
                    .permanent(.streamLost, "The transfer was stopped while \(path) accepted no data."),
                    errno: 0
                )
            }
            do throws(Errno) {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                // A stalled reader must not keep this thread forever, so no write waits on its own.
                if mayBlock {
                    guard try Platform.isWritable(descriptor, within: Self.waitingInterval) else { continue }
                }
                let piece =
                    mayBlock ? UnsafeRawBufferPointer(rebasing: rest.prefix(Platform.pipePiece)) : rest
                do throws(Errno) {
                    done += try Platform.write(piece, to: descriptor)
                } catch {
                    guard error == .wouldBlock else { throw error }
                    _ = try Platform.isWritable(descriptor, within: Self.waitingInterval)
                }
            } catch {
                throw StorageProblem(
                    error,
                    while: .writeStream,
                    path: path,
                    needed: Int64(buffer.count - done)
                )
            }
        }
    }

    func interrupt() {
        state.withLock { $0.isInterrupted = true }
    }

    /// A stream that was opened without a digest keeps none.
    func digest() async -> Checksum? { nil }

    func close() async {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard isFirst else { return }
        let descriptor = descriptor
        do {
            try await threads.storage { Platform.close(descriptor) }
        } catch {
            Platform.close(descriptor)
        }
    }
}
