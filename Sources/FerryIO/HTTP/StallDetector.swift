internal import FerryCore
internal import NIOCore

/// Tells a server that has fallen silent, or is too slow, from one that we keep waiting.
///
/// Only the time in which we are ready to receive and nothing comes is counted. A disk that is slow or a limit
/// on the rate holds the connection back, and the server is not to blame for that; AsyncHTTPClient's own read
/// timeout does not know the difference.
struct StallDetector: Sendable {
    /// What is wrong with the server.
    enum Verdict: Hashable, Sendable {
        /// No byte came for the idle timeout.
        case silent
        /// Fewer bytes came than the limit on the speed asks for.
        case slow
    }

    private let idleTimeout: TimeAmount?
    private let slowTime: TimeAmount?
    private let slowBytes: Int64

    /// Since when we have been waiting; `nil` while we hold the server back.
    private var waitingSince: NIODeadline?
    /// Time waited and bytes received since the speed was last judged.
    private var windowWait = TimeAmount.nanoseconds(0)
    private var windowBytes: Int64 = 0

    init(_ options: ConnectionOptions) {
        idleTimeout =
            options.idleTimeout > .zero ? options.idleTimeout.timeAmount(orForever: .hours(24)) : nil
        if let floor = options.speedFloor {
            let time = floor.time.timeAmount(orForever: .hours(24))
            slowTime = time
            let seconds = max(Double(time.nanoseconds) / 1e9, 0.001)
            slowBytes = Int64(exactly: (Double(floor.bytesASecond) * seconds).rounded()) ?? .max
        } else {
            slowTime = nil
            slowBytes = 0
        }
    }

    /// From now on the server may send.
    mutating func wait(from now: NIODeadline) {
        if waitingSince == nil { waitingSince = now }
    }

    /// The head has come: how long the server took to answer says nothing about the speed of the body.
    mutating func headArrived(at now: NIODeadline) {
        waitingSince = nil
        windowWait = .nanoseconds(0)
    }

    /// Something came; until the next ``wait(from:)`` we are the ones who are busy.
    mutating func received(_ bytes: Int, at now: NIODeadline) {
        endWait(at: now)
        windowBytes += Int64(bytes)
    }

    /// Judges the server, and begins a new window for its speed when one is full.
    mutating func check(at now: NIODeadline) -> Verdict? {
        guard let waitingSince else { return nil }
        if let idleTimeout, now - waitingSince >= idleTimeout { return .silent }
        guard let slowTime, windowWait + (now - waitingSince) >= slowTime else { return nil }
        if windowBytes < slowBytes { return .slow }
        windowBytes = 0
        windowWait = waitingSince - now
        return nil
    }

    /// When to check again: the earliest moment at which there can be a verdict. `nil` when there never is one.
    func nextCheck(after now: NIODeadline) -> NIODeadline? {
        let begin = waitingSince ?? now
        let silent = idleTimeout.map { begin + $0 }
        let slow = slowTime.map { begin + ($0 - windowWait) }
        guard let earliest = [silent, slow].compactMap(\.self).min() else { return nil }
        return max(earliest, now + .milliseconds(1))
    }

    private mutating func endWait(at now: NIODeadline) {
        guard let since = waitingSince else { return }
        windowWait = windowWait + (now - since)
        waitingSince = nil
    }
}
