import Logging
import Synchronization

/// Keeps what is logged.
final class KeptLog: Sendable {
    /// One event.
    struct Line: Hashable, Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let kept = Mutex<[Line]>([])

    var lines: [Line] { kept.withLock { $0 } }

    /// Logs to this, at all levels.
    var logger: Logger { Logger(label: "test") { _ in Handler(target: self) } }

    private struct Handler: LogHandler {
        let target: KeptLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(
                level: event.level,
                message: "\(event.message)",
                metadata: all.mapValues { "\($0)" }
            )
            target.kept.withLock { $0.append(line) }
        }
    }
}
