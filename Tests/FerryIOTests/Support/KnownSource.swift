import FerryCore
import FerryTesting
import Synchronization

/// The body of a request, of which it is known what was read.
final class KnownSource: BodySource {
    let bytes: [UInt8]
    let length: Int64?
    var descriptor: CInt? { nil }
    let reads = Mutex<[Int64]>([])
    /// How often it was asked whether it has changed.
    let checks = Mutex(0)
    private let border: Int64
    private let gate: ThreadGate?

    /// - Parameters:
    ///   - border: where reading stops at `gate`.
    ///   - gate: holds reads from `border` on until it is open.
    init(_ bytes: [UInt8], knowsLength: Bool = true, from border: Int64 = 0, behind gate: ThreadGate? = nil) {
        self.bytes = bytes
        (self.border, self.gate) = (border, gate)
        length = knowsLength ? Int64(bytes.count) : nil
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        reads.withLock { $0.append(offset) }
        if offset >= border { gate?.pass() }
        let part = bytes[Int(offset)...].prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func check() throws(Problem) { checks.withLock { $0 += 1 } }
}

/// Keeps what it hears of a request.
final class RecordingListener: ExchangeListener {
    let departures = Mutex(0)
    let left = Watched<[Int64]>([])
    let interims = Watched<[Int]>([])

    func requestMayLeave() { departures.withLock { $0 += 1 } }
    func bodyLeft(upTo count: Int64) { left.withLock { $0.append(count) } }
    func received(interim: ResponseHead) { interims.withLock { $0.append(interim.status) } }
}
