import Glibc
import Synchronization

/// Standard output and standard error: whole lines on either, and below them, on a terminal, a region that is
/// drawn anew.
///
/// Nothing here waits for a reader: text is handed to an ``OutputLane``, and whoever writes much awaits ``room()``.
final class Console: Sendable {
    private struct State {
        /// The lines of the region as they stand on the terminal, without their colours.
        var drawn: [String] = []
        /// How many messages were left out, as nobody read them.
        var unread = 0
    }

    /// How it looks.
    let appearance: Appearance
    private let output: Terminal
    private let errors: Terminal
    private let outputLane: OutputLane
    private let errorLane: OutputLane
    private let state = Mutex(State())

    init(_ appearance: Appearance, output: Terminal = .output, errors: Terminal = .errors) {
        self.appearance = appearance
        self.output = output
        self.errors = errors
        errorLane = OutputLane(errors)
        // On one terminal, what is drawn is removed before a line of data is written.
        outputLane = output.isTerminal && errors.isTerminal ? errorLane : OutputLane(output)
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
            if output.isTerminal { erase(&state) }
            outputLane.write(line + "\n")
        }
    }

    /// Prints a JSON value as one line on standard output.
    func data(_ value: JSON) {
        data(value.text)
    }

    /// Waits until standard output has taken most of what it was given.
    func room() async {
        await outputLane.room()
    }

    /// From now on nobody is waited for who reads no more: the command is to end.
    func hurry() {
        outputLane.hurry()
        errorLane.hurry()
    }

    /// Waits until all is written.
    func finish() async {
        await outputLane.finish()
        await errorLane.finish()
    }

    /// Whether standard output takes no more, as when nobody reads it.
    var outputIsGone: Bool { outputLane.error != nil }

    /// Whether the reader of a pipe that this command writes to has gone.
    var readerIsGone: Bool { output.readerIsGone || (!appearance.json && errors.readerIsGone) }

    /// What was lost on its way to somebody who still reads, as on a full disk.
    var outputFailure: CommandFailure? {
        guard let error = outputLane.error, error != EPIPE else { return nil }
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

    /// Prints a line on standard error, above the region. It is left out when too much is there already that nobody reads.
    func message(_ line: String) {
        state.withLock { state in
            guard !errorLane.isFull else { return state.unread += 1 }
            var lines = line + "\n"
            if state.unread > 0 {
                lines = "ferry: \(state.unread) messages left out; no one read them.\n" + lines
            }
            state.unread = 0
            let region = state.drawn
            let text = erasure(&state) + lines + region.joined(separator: "\n")
            state.drawn = region
            errorLane.write(text)
        }
    }

    // MARK: The region

    /// Puts these lines in place of the region.
    func draw(_ lines: [String]) {
        guard appearance.live else { return }
        state.withLock { state in
            // A picture that nobody has seen yet is not drawn over by the next one.
            guard state.drawn != lines, !errorLane.isBehind else { return }
            let text = erasure(&state) + lines.joined(separator: "\n")
            state.drawn = lines
            errorLane.write(text)
        }
    }

    /// Removes the region.
    func clear() {
        state.withLock { erase(&$0) }
    }

    /// Removes the region if that can be done at once, for a process that is about to end whatever happens.
    func abandon() {
        state.withLockIfAvailable { errors.writeIfReady(erasure(&$0)) }
    }

    private func erase(_ state: inout State) {
        errorLane.write(erasure(&state))
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
