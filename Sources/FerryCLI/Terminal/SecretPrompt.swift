import FerryFrontend
import Glibc

/// Asks a person for a secret on their terminal, whatever the standard streams are. Nothing of it is shown.
enum SecretPrompt {
    /// The longest answer in bytes.
    private static let longest = 4096

    /// The failure when no passphrase was given.
    static let noPassphrase = CommandFailure(
        .notAuthorised,
        code: "noPassphrase",
        "No passphrase was given. Nothing was done."
    )

    /// Asks for a passphrase.
    ///
    /// - Parameter question: what is asked, without a colon.
    /// - Throws: ``CommandFailure`` with status 24 without a terminal, and when no answer was given.
    static func ask(_ question: String) throws(CommandFailure) -> String {
        if let passphrase = try answer(to: question, otherwise: noPassphrase) { return passphrase }
        throw CommandFailure(
            .notAuthorised,
            code: "noTerminal",
            "A passphrase is asked for on a terminal, and this process has none. Nothing was done.",
            hint: "For programs, use keys: --to when sealing, -i when opening."
        )
    }

    /// Asks for the password of a user; an empty answer is an empty password.
    ///
    /// - Returns: the password; `nil` without a terminal.
    /// - Throws: ``CommandFailure`` with status 24 when no answer was given.
    static func password(of user: String) throws(CommandFailure) -> String? {
        let notGiven = CommandFailure(
            .notAuthorised,
            code: "noPassword",
            "No password was given. Nothing was done."
        )
        return try answer(to: "Password of \(TerminalText.safe(user))", otherwise: notGiven)
    }

    /// Asks for one line; returns `nil` without a terminal, and throws `notGiven` when no answer was given.
    private static func answer(
        to question: String,
        otherwise notGiven: CommandFailure
    ) throws(CommandFailure) -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { throw notGiven }
        var quiet = settings
        // Ctrl-C is read as a key, so that no signal leaves the terminal without echo.
        quiet.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(terminal, TCSANOW, &quiet)
        let screen = Terminal(descriptor: terminal)
        _ = screen.write(question + ": ")
        let typed = line(from: terminal)
        tcsetattr(terminal, TCSANOW, &settings)
        _ = screen.write("\n")
        guard let typed, let text = String(validating: typed, as: UTF8.self) else { throw notGiven }
        return text
    }

    /// What was typed before Enter; `nil` after Ctrl-C or Ctrl-D, or when the terminal is gone.
    private static func line(from terminal: Int32) -> [UInt8]? {
        var editor = SecretLine()
        while editor.count <= longest {
            var byte: UInt8 = 0
            let count = read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            switch editor.take(byte) {
            case .goesOn: continue
            case .isDone(let line): return line
            case .isCancelled: return nil
            }
        }
        return nil
    }
}
