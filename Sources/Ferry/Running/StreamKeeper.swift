import FerryCore
import Synchronization

/// The open streams of downloads that write to one: a stream outlives the attempts, as what was written to it
/// cannot be written again.
final class StreamKeeper: Sendable {
    private let streams = Mutex<[TransferID: any StreamSink]>([:])

    /// The stream of a transfer, when an earlier attempt opened it.
    func stream(of id: TransferID) -> (any StreamSink)? {
        streams.withLock { $0[id] }
    }

    /// Keeps a stream for the attempts to come.
    func keep(_ stream: any StreamSink, for id: TransferID) {
        streams.withLock { $0[id] = stream }
    }

    /// Closes the stream of a transfer that has ended.
    func close(_ id: TransferID) async {
        await streams.withLock { $0.removeValue(forKey: id) }?.close()
    }
}
