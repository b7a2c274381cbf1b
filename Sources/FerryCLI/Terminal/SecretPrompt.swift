import FerryFrontend
import Glibc

/// Asks a person for a secret on their terminal, whatever the standard streams are. Nothing of it is shown.
enum SecretPrompt {
    /// The longest answer in bytes.
    private static let longest = 4096

    /// Asks for one line.
    ///
    /// - Parameter question: what is asked, without a colon.
    /// - Throws: ``CommandFailure`` with status 24 without a terminal, and when no answer was given.
    static func ask(_ question: String) throws(CommandFailure) -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard terminal >= 0 else {
            throw CommandFailure(
                .notAuthorised,
                code: "noTerminal",
                "A passphrase is asked for on a terminal, and this process has none. Nothing was done.",
                hint: "For programs, use keys: --to when sealing, -i when opening."
            )
        }
        defer { close(terminal) }
        var settings = termios()
        guard tcgetattr(terminal, &settings) == 0 else { throw notGiven }
        var quiet = settings
        // Ctrl-C is read as a key, so that no signal leaves the terminal without echo.
        quiet.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(terminal, TCSANOW, &quiet)
        let screen = Terminal(descriptor: terminal)
        _ = screen.write(question + ": ")
        let answer = line(from: terminal)
        tcsetattr(terminal, TCSANOW, &settings)
        _ = screen.write("\n")
        guard let answer, let text = String(validating: answer, as: UTF8.self) else { throw notGiven }
        return text
    }

    private static var notGiven: CommandFailure {
        CommandFailure(.notAuthorised, code: "noPassphrase", "No passphrase was given. Nothing was done.")
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
