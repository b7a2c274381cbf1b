import Glibc
import Synchronization

/// Standard output and standard error: whole lines on either, and below them, on a terminal, a region that is
/// drawn anew.
///
/// The lock is held while it writes, because two writers that take turns on one terminal are all that it is for.
final class Console: Sendable {
    private struct State {
        /// The lines of the region as they stand on the terminal, without their colours.
        var drawn: [String] = []
        /// Why standard output takes no more.
        var outputError: Int32?
        var isClosed = false
    }

    /// How it looks.
    let appearance: Appearance
    private let output: Terminal
    private let errors: Terminal
    private let state = Mutex(State())

    init(_ appearance: Appearance, output: Terminal = .output, errors: Terminal = .errors) {
        self.appearance = appearance
        self.output = output
        self.errors = errors
    }

    /// Whether standard output is a terminal.
    var outputIsTerminal: Bool { output.isTerminal }

    /// The columns of standard output; `nil` when it is no terminal.
    var outputColumns: Int? { output.isTerminal ? output.size.columns : nil }

    /// The size of the terminal on standard error.
    var errorSize: Terminal.Size { errors.size }

    // MARK: Lines

    /// Prints a line of data on standard output. When its reader is gone, the line and all later ones are lost
    /// without a word, as they are for any tool in a pipe.
    func data(_ line: String) {
        state.withLock { state in
            guard state.outputError == nil, !state.isClosed else { return }
            if output.isTerminal { erase(&state) }
            state.outputError = output.write(line + "\n")
        }
    }

    /// Prints a JSON value as one line on standard output.
    func data(_ value: JSON) {
        data(value.text)
    }

    /// Whether standard output takes no more, as when nobody reads it.
    var outputIsGone: Bool { state.withLock { $0.outputError != nil } }

    /// What was lost on its way to somebody who still reads, as on a full disk.
    var outputFailure: CommandFailure? {
        guard let error = state.withLock({ $0.outputError }), error != EPIPE else { return nil }
        let isFull = error == ENOSPC || error == EDQUOT
        return CommandFailure(
            isFull ? .diskFull : .other,
            code: isFull ? "diskFull" : "other",
            "Standard output could not be written: \(String(cString: strerror(error))).",
            hint: "What the command did is done; only what it had to tell is lost."
        )
    }

    /// Tells the user something on standard error, unless only errors or JSON are wanted.
    func notice(_ line: String) {
        guard !appearance.quiet, !appearance.json else { return }
        message(line)
    }

    /// Warns of something that the command goes on in spite of.
    func warning(_ text: String) {
        guard !appearance.quiet else { return }
        message(paint("ferry: warning: ", .yellow) + TerminalText.safe(text))
    }

    /// Prints a failure on standard error, as JSON when that is wanted.
    func failure(_ failure: CommandFailure) {
        guard !appearance.json else { return message(failure.json.text) }
        message(paint("ferry: ", .red) + TerminalText.safe(failure.message))
        if let hint = failure.hint { message("       " + TerminalText.safe(hint)) }
    }

    /// Prints a line on standard error, above the region.
    func message(_ line: String) {
        state.withLock { state in
            guard !state.isClosed else { return }
            let region = state.drawn
            let text = erasure(&state) + line + "\n" + region.joined(separator: "\n")
            state.drawn = region
            _ = errors.write(text)
        }
    }

    // MARK: The region

    /// Puts these lines in place of the region.
    func draw(_ lines: [String]) {
        guard appearance.live else { return }
        state.withLock { state in
            guard !state.isClosed, state.drawn != lines else { return }
            let text = erasure(&state) + lines.joined(separator: "\n")
            state.drawn = lines
            _ = errors.write(text)
        }
    }

    /// Removes the region.
    func clear() {
        state.withLock { erase(&$0) }
    }

    /// Removes the region and prints nothing any more.
    func close() {
        state.withLock { state in
            erase(&state)
            state.isClosed = true
        }
    }

    /// Removes the region if nobody is writing at this moment, for a process that is about to end whatever
    /// happens.
    func abandon() {
        state.withLockIfAvailable { erase(&$0) }
    }

    private func erase(_ state: inout State) {
        let text = erasure(&state)
        if !text.isEmpty { _ = errors.write(text) }
    }

    /// What moves the cursor to the region's first row and clears the screen from there. Rows that a terminal
    /// made narrower since has wrapped are counted.
    private func erasure(_ state: inout State) -> String {
        guard !state.drawn.isEmpty else { return "" }
        let columns = max(1, errors.size.columns)
        let rows = state.drawn.reduce(0) { sum, line in
            sum + max(1, (DisplayWidth.of(Paint.stripped(line)) + columns - 1) / columns)
        }
        state.drawn = []
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }

    /// The text in a colour, where colours are wanted.
    func paint(_ text: String, _ paint: Paint) -> String {
        appearance.colour ? paint.applied(to: text) : text
    }
}
