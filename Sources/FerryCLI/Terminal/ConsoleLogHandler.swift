import FerryFrontend
import Logging

/// Writes the engine's log to the console, so that it does not collide with the region.
struct ConsoleLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    let console: Console

    init(console: Console) {
        self.console = console
        logLevel =
            switch console.appearance.verbosity {
            case ...0: .error
            case 1: .debug
            default: .trace
            }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let text = TerminalText.safe(Self.text("\(event.message)", all.mapValues { "\($0)" }))
        console.message(event.level > .debug ? "ferry: \(event.level): \(text)" : text)
    }

    /// A message in sentences for a person: what it is about, what happened, the rest of its metadata, and why.
    static func text(_ message: String, _ metadata: [String: String]) -> String {
        let subject = metadata["transfer"].map { "Transfer \($0): " } ?? ""
        var sentences = [subject + message]
        let others = metadata.filter { !["transfer", "error"].contains($0.key) }
        for (key, value) in others.sorted(by: { $0.key < $1.key }) {
            sentences.append("\(capitalised(key)): \(value).")
        }
        if let error = metadata["error"] {
            sentences.append("Reason: \(error)" + (error.hasSuffix(".") ? "" : "."))
        }
        return sentences.joined(separator: " ")
    }

    private static func capitalised(_ text: String) -> String {
        "\(text.prefix(1).uppercased())\(text.dropFirst())"
    }
}
