import FerryCore
import Synchronization

/// The open streams of downloads that write to one: a stream outlives the attempts, as what was written to it
/// cannot be written again.
final class StreamKeeper: Sendable {
    private struct State {
        var streams: [TransferID: any StreamSink] = [:]
        /// Those whose attempts are to end; one of them may be opening its stream.
        var interrupted: Set<TransferID> = []
    }

    private let state = Mutex(State())

    /// The stream of a transfer, when an earlier attempt opened it.
    func stream(of id: TransferID) -> (any StreamSink)? {
        state.withLock { $0.streams[id] }
    }

    /// Keeps a stream for the attempts to come.
    func keep(_ stream: any StreamSink, for id: TransferID) {
        let isInterrupted = state.withLock { state in
            state.streams[id] = stream
            return state.interrupted.contains(id)
        }
        if isInterrupted { stream.interrupt() }
    }

    /// Lets no write to the stream of a transfer wait for its reader, until that stream is closed.
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
