import FerryCore
import Synchronization

/// The open streams of downloads to streams. A stream outlives the attempts, because bytes written to it cannot be
/// written again.
final class StreamKeeper: Sendable {
    private struct State {
        var streams: [TransferID: any StreamSink] = [:]
        /// Transfers whose attempts are to end; an attempt may still be opening its stream.
        var interrupted: Set<TransferID> = []
    }

    private let state = Mutex(State())

    /// The stream of a transfer, if an earlier attempt opened it.
    func stream(of id: TransferID) -> (any StreamSink)? {
        state.withLock { $0.streams[id] }
    }

    /// Keeps a stream for later attempts.
    func keep(_ stream: any StreamSink, for id: TransferID) {
        let isInterrupted = state.withLock { state in
            state.streams[id] = stream
            return state.interrupted.contains(id)
        }
        if isInterrupted { stream.interrupt() }
    }

    /// Stops writes to a transfer's stream from waiting for its reader, until that stream is closed.
    func interrupt(_ id: TransferID) {
        let stream = state.withLock { state in
            state.interrupted.insert(id)
            return state.streams[id]
        }
        stream?.interrupt()
    }

    /// Closes the stream of a transfer that has ended.
    func close(_ id: TransferID) async {
        let stream = state.withLock { state in
            state.interrupted.remove(id)
            return state.streams.removeValue(forKey: id)
        }
        await stream?.close()
    }
}
