import Ferry
import FerryFrontend
import Glibc
import Synchronization

/// Standard output and standard error: whole lines on both, and below them, on a terminal, a region that is redrawn.
///
/// No call here waits for a reader: text goes to an ``OutputLane``. A caller that writes much awaits ``room()``.
final class Console: Sendable {
    private struct State {
        /// The lines of the region on the terminal, without their colours.
        var drawn: [String] = []
        /// Number of messages left out because no one read them.
        var unread = 0
        /// Bytes of the messages since the lane became full. Data may have filled it, which is no reason to lose a message.
        var overfilled = 0
        /// Makes the present lines of the region.
        var region: (@Sendable () -> [String])?
        /// Whether only failures are printed from now on.
        var isSilent = false
    }

    /// The appearance.
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
        // On one terminal, both share a lane, so that the region is removed before a line of data. In one file or pipe,
        // a message would otherwise come in the middle of the data before it.
        let isShared = output.isTerminal && errors.isTerminal || output.leads(toFileOf: errors)
        outputLane = isShared ? errorLane : OutputLane(output)
    }

    /// Whether standard output is a terminal.
    var outputIsTerminal: Bool { output.isTerminal }

    /// The columns of standard output; `nil` if it is not a terminal.
    var outputColumns: Int? { output.isTerminal ? output.size.columns : nil }

    /// The size of the terminal on standard error.
    var errorSize: Terminal.Size { errors.size }

    // MARK: Lines

    /// Prints a line of data on standard output. If its reader is gone, this line and all later ones are lost
    /// silently, as for any tool in a pipe.
    func data(_ line: String) { data(Array("\(line)\n".utf8)) }

    /// Prints a line for a person on standard output, in lines that fit a terminal.
    ///
    /// - Parameter indent: the number of blanks that later lines begin with.
    func data(_ line: String, indent: Int) {
        data(outputColumns.map { TerminalText.wrapped(line, to: $0 - 1, indent: indent) } ?? line)
    }

    /// Writes bytes to standard output as they are, in pieces.
    func data(_ bytes: [UInt8]) {
        state.withLock { state in
            if output.isTerminal { erase(&state) }
            for start in stride(from: 0, to: bytes.count, by: OutputLane.longestPiece) {
                outputLane.write(Array(bytes[start..<min(bytes.count, start + OutputLane.longestPiece)]))
            }
        }
    }

    /// Prints a JSON value as one line on standard output.
    func data(_ value: JSON) {
        data(value.text)
    }

    /// Waits until standard output has taken most of its text.
    func room() async {
        await outputLane.room()
    }

    /// Stops waiting for slow readers, because the command is about to end.
    func hurry() {
        outputLane.hurry()
        errorLane.hurry()
    }

    /// Waits until everything is written.
    func finish() async {
        await outputLane.finish()
        await errorLane.finish()
    }

    /// Whether standard output has failed, for example because its reader is gone.
    var outputIsGone: Bool { outputLane.error != nil }

    /// Whether the reader of this command's pipe is gone.
    var readerIsGone: Bool { output.readerIsGone || (!appearance.json && errors.readerIsGone) }

    /// The failure of standard output, for example a full disk; `nil` if only its reader is gone.
    var outputFailure: CommandFailure? {
        Self.failure(
            ofOutput: outputLane.error,
            hint: "The command finished; only its output is lost."
        )
    }

    /// The failure for an error of standard output; `nil` for none, and if only the reader is gone.
    static func failure(ofOutput error: Int32?, hint: String? = nil) -> CommandFailure? {
        guard let error, error != EPIPE else { return nil }
        let isFull = error == ENOSPC || error == EDQUOT
        return CommandFailure(
            isFull ? .diskFull : .other,
            code: isFull ? "diskFull" : "other",
            "Standard output could not be written: \(String(cString: strerror(error))).",
            hint: hint
        )
    }

    /// Prints only failures from now on, because the terminal shows the bytes of a file.
    func silence() {
        clear()
        state.withLock { $0.isSilent = true }
    }

    private var isSilent: Bool { state.withLock { $0.isSilent } }

    /// Prints a message on standard error in lines that fit a terminal, unless `--quiet` or `--json` is in effect.
    ///
    /// - Parameter names: names and paths in the text that are not broken at their blanks, so that they can be copied.
    func notice(_ text: String, keeping names: @autoclosure () -> [String] = []) {
        line(wrapped(text, keeping: names()))
    }

    /// Prints a line on standard error as it is, unless `--quiet` or `--json` is in effect.
    func line(_ line: String) {
        guard appearance.saysNotices, !isSilent else { return }
        message(line)
    }

    private func wrapped(_ text: String, keeping names: @autoclosure () -> [String] = []) -> String {
        guard errors.isTerminal else { return text }
        return TerminalText.wrapped(text, to: errors.size.columns - 1, indent: 7, keeping: names())
    }

    /// Prints a warning on standard error; the command continues.
    func warning(_ text: String) {
        guard !appearance.quiet else { return }
        message(labelled("ferry: warning: ", .yellow, text))
    }

    /// Prints a failure on standard error, as JSON with `--json`.
    func failure(_ failure: CommandFailure) {
        guard !appearance.json else { return message(failure.json.text) }
        for text in [failure.message] + failure.further { message(labelled("ferry: ", .red, text)) }
        if let hint = failure.hint { message(labelled("       ", nil, hint)) }
    }

    /// Prints the failure of one of several things that a command does; keeps the status of the first failure.
    func report(_ error: any Error, of id: TransferID? = nil, in status: inout ExitStatus) {
        let failure = CommandFailure(error, transfer: id)
        self.failure(failure)
        if status == .done { status = failure.status }
    }

    /// A text behind a label, in lines that fit a terminal.
    private func labelled(_ label: String, _ colour: Paint?, _ text: String) -> String {
        let lines = wrapped(label + TerminalText.safe(text))
        guard let colour else { return lines }
        return paint(label, colour) + lines.dropFirst(label.count)
    }

    /// Prints a line on standard error, above the region. The line is left out if too much unread text is pending.
    func message(_ line: String) {
        state.withLock { state in
            state.overfilled = errorLane.isFull ? state.overfilled + line.utf8.count : 0
            guard state.overfilled <= OutputLane.capacity else { return state.unread += 1 }
            var lines = line + "\n"
            if state.unread > 0 {
                lines = "ferry: \(state.unread) messages left out; no one read them.\n" + lines
            }
            state.unread = 0
            let region = state.drawn.isEmpty ? [] : state.region?() ?? state.drawn
            let text = erasure(&state) + lines + region.joined(separator: "\n")
            state.drawn = region
            errorLane.write(text)
        }
    }

    // MARK: The region

    /// Replaces the region with its present lines, and again below every message.
    ///
    /// - Parameter region: makes the lines. It is called with the console locked, so it must not use it.
    func draw(_ region: @escaping @Sendable () -> [String]) {
        guard appearance.live else { return }
        state.withLock { state in
            guard !state.isSilent else { return }
            state.region = region
            let lines = region()
            // No new picture is drawn before the last one is written.
            guard state.drawn != lines, !errorLane.isBehind else { return }
            let text = erasure(&state) + lines.joined(separator: "\n")
            state.drawn = lines
            errorLane.write(text)
        }
    }

    /// Replaces the region with these lines.
    func draw(_ lines: [String]) { draw { lines } }

    /// Removes the region.
    func clear() {
        state.withLock { state in
            state.region = nil
            erase(&state)
        }
    }

    /// Removes the region if this needs no wait, for a process that is about to end anyway.
    func abandon() {
        state.withLockIfAvailable { errors.writeIfReady(erasure(&$0)) }
    }

    /// Prints a failure at once, if this needs no wait, for a process that is about to end anyway.
    func abandon(with failure: CommandFailure) {
        abandon()
        let line = appearance.json ? failure.json.text : labelled("ferry: ", .red, failure.message)
        errors.writeIfReady(line + "\n")
    }

    private func erase(_ state: inout State) {
        errorLane.write(erasure(&state))
    }

    /// Text that moves the cursor to the region's first row and clears the screen from there. It counts rows that a
    /// terminal has wrapped because it became narrower.
    private func erasure(_ state: inout State) -> String {
        guard !state.drawn.isEmpty else { return "" }
        let columns = max(1, errors.size.columns)
        let rows = state.drawn.reduce(0) { sum, line in
            sum + max(1, (DisplayWidth.of(Paint.stripped(line)) + columns - 1) / columns)
        }
        state.drawn = []
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }

    /// The text in a colour, if colours are in use.
    func paint(_ text: String, _ paint: Paint) -> String {
        appearance.colour ? paint.applied(to: text) : text
    }
}
