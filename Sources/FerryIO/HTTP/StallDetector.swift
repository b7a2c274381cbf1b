internal import FerryCore
internal import NIOCore

/// Distinguishes a silent or slow server from one that Ferry holds back.
///
/// Counts only time in which Ferry is ready to receive and nothing arrives. A slow disk or a rate limit holds
/// the connection back, which is not the server's fault.
struct StallDetector: Sendable {
    /// What is wrong with the server.
    enum Verdict: Hashable, Sendable {
        /// No byte arrived within the idle timeout.
        case silent
        /// Fewer bytes arrived than the minimum speed requires.
        case slow
    }

    private let idleTimeout: TimeAmount?
    private let slowTime: TimeAmount?
    private let slowBytes: Int64

    /// Since when Ferry has been waiting; `nil` while it holds the server back.
    private var waitingSince: NIODeadline?
    /// Time waited and bytes received since the latest judgement of the speed.
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

    /// Starts a wait, unless one is under way: from now on the server may send.
    mutating func wait(from now: NIODeadline) {
        if waitingSince == nil { waitingSince = now }
    }

    /// Begins a wait that is under way anew: the server is silent, but takes bytes.
    mutating func extend(from now: NIODeadline) {
        guard waitingSince != nil else { return }
        (waitingSince, windowWait) = (now, .nanoseconds(0))
    }

    /// Forgets the time waited so far: the wait for a head says nothing about the speed of its body.
    mutating func restart() {
        waitingSince = nil
        windowWait = .nanoseconds(0)
    }

    /// Records arrived bytes. Until the next ``wait(from:)`` Ferry is the busy side.
    mutating func received(_ bytes: Int, at now: NIODeadline) {
        endWait(at: now)
        windowBytes += Int64(bytes)
    }

    /// Judges the server, and starts a new window for its speed when one is full.
    mutating func check(at now: NIODeadline) -> Verdict? {
        guard let waitingSince else { return nil }
        if let idleTimeout, now - waitingSince >= idleTimeout { return .silent }
        guard let slowTime, windowWait + (now - waitingSince) >= slowTime else { return nil }
        if windowBytes < slowBytes { return .slow }
        windowBytes = 0
        windowWait = waitingSince - now
        return nil
    }

    /// When to check again: the earliest moment of a possible verdict; `nil` if there never is one.
    func nextCheck(after now: NIODeadline) -> NIODeadline? {
        let begin = waitingSince ?? now
        let slow = slowTime.map { $0 - windowWait }
        guard let wait = idleTimeout ?? slow else { return nil }
        return max(begin + min(wait, slow ?? wait), now + .milliseconds(1))
    }

    private mutating func endWait(at now: NIODeadline) {
        guard let since = waitingSince else { return }
        windowWait = windowWait + (now - since)
        waitingSince = nil
    }
}
