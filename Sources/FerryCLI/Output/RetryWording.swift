import Ferry
import FerryFrontend

/// What a person is told of a wait for another attempt.
struct RetryWording {
    /// How long the wait still is.
    let delay: Duration
    /// Why the last attempt failed, as far as it is known.
    let failure: TransferFailure?
    /// The number of the next attempt; the first one is 1.
    let attempt: Int
    /// Maximum number of attempts.
    let attempts: Int

    /// "waiting 3 s to try again: example.org refuses the connection (attempt 2 of 20)".
    var text: String {
        let reason = failure.map { ": " + TerminalText.clause($0.message) } ?? ""
        return "waiting \(Self.text(of: delay)) to try again\(reason)"
            + " (attempt \(min(attempt, attempts)) of \(attempts))"
    }

    /// The length of a wait. Seconds are rounded up.
    static func text(of delay: Duration) -> String {
        guard delay >= .seconds(60) else { return "\((delay.wholeMilliseconds + 999) / 1000) s" }
        return TimeLeft(delay).description
    }
}

extension RequestWait {
    /// What it waits for and why, as of a transfer that waits.
    var text: String {
        RetryWording(delay: delay, failure: failure, attempt: attempt, attempts: attempts).text
    }
}
