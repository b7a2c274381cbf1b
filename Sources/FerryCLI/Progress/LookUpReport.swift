import Ferry
import FerryFrontend
import Synchronization

/// Tells a person why a command waits that asks servers without a transfer, in the words of a transfer that waits.
final class LookUpReport: Sendable {
    private let console: Console
    /// Why the present look-up waits; `nil` if it does not.
    private let reason = Mutex<TransferFailure?>(nil)

    init(_ console: Console) { self.console = console }

    /// Notes that a look-up begins, and shows on a terminal what it does.
    func begin(_ text: String) {
        reason.withLock { $0 = nil }
        console.draw([text])
    }

    /// Reports that a look-up waits before it is repeated.
    func tell(_ wait: RequestWait, of name: String) {
        reason.withLock { $0 = wait.failure }
        let line = "\(name): \(wait.text)"
        // On a terminal it takes the place of what is being done, as the line of a transfer does.
        guard console.appearance.live else { return console.notice(line) }
        console.draw([line])
    }

    /// Removes what is shown, and prints why the look-up waited. The process is about to end.
    func abandon() {
        guard let failure = reason.withLock({ $0 }) else { return console.abandon() }
        console.abandon(with: Self.stopped(after: failure))
    }

    /// Why a command that was stopped has no answer.
    static func stopped(after failure: TransferFailure) -> CommandFailure {
        CommandFailure(
            .unfinished,
            code: "incomplete",
            "Stopped before the server answered: \(TerminalText.clause(failure.message))."
        )
    }
}
