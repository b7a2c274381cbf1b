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
        let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        guard event.level > .debug else {
            return console.message(TerminalText.safe("\(event.message)\(details)"))
        }
        console.message(TerminalText.safe("ferry: \(event.level): \(event.message)\(details)"))
    }
}
