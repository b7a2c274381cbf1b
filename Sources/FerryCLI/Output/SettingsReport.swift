import Ferry
import FerryFrontend

/// The report of `ferry config`: the effective value of each key and its source, without secrets.
struct SettingsReport: Sendable {
    /// One key.
    struct Row: Hashable, Sendable {
        var key: SettingKey
        /// The value; `nil` if the system's setting or the place of the executable applies.
        var value: String?
        var origin: Setting.Origin
    }

    /// All keys, in their order.
    let rows: [Row]
    private let file: SettingsFile?
    private let isThere: Bool

    /// - Parameter dataDirectory: the effective directory of the store.
    /// - Parameter isThere: whether the file exists.
    init(_ settings: Settings, dataDirectory: String, file: SettingsFile?, isThere: Bool = true) {
        self.file = file
        self.isThere = isThere
        rows = SettingKey.allCases.map { key in
            guard let setting = settings.given[key] else {
                let value = key == .dataDirectory ? dataDirectory : Self.usual(key)
                return Row(key: key, value: value, origin: .builtIn)
            }
            return Row(key: key, value: setting.shown(for: key), origin: setting.origin)
        }
    }

    /// The default value.
    private static func usual(_ key: SettingKey) -> String? {
        let options = DownloadOptions()
        return switch key {
        case .jobs: "\(EngineTerms.usualSlots)"
        case .connections: "\(options.connections ?? DownloadOptions.defaultConnections)"
        case .connectionsPerHost: "\(EngineConfiguration.usualConnectionsPerHost)"
        case .limitRate, .window: "off"
        case .retries: "\(options.retries)"
        case .timeout: "\(options.connection.idleTimeout.components.seconds)"
        case .directory: "."
        case .userAgent: "ferry/\(FerryVersion.current)"
        case .color: "auto"
        case .proxy, .noProxy, .certificateAuthorities, .clientCertificate, .clientKey, .dataDirectory: nil
        }
    }

    /// The report for a person: a line for each key, then the path of the file.
    ///
    /// - Parameter columns: those of a terminal that the lines fit; `nil` for any length.
    func lines(columns: Int? = nil) -> [String] {
        let width = SettingKey.allCases.map(\.name.count).max() ?? 0
        let values = rows.map { TerminalText.safe($0.value ?? "-") }
        let room = columns.map { max(0, $0 - 1 - width - "    ".count - "default".count) }
        let valueWidth = min(values.map(\.count).max() ?? 0, 40, room ?? .max)
        let settings = zip(rows, values).map { row, value in
            let (key, origin) = (row.key.name.padded(to: width), TerminalText.safe(row.origin.description))
            let line = key + "  " + value.padded(to: valueWidth) + "  " + origin
            guard let columns, DisplayWidth.of(line) >= columns else { return line }
            return key + "  " + value + "\n" + "".padded(to: width + 2) + origin
        }
        guard let file else { return settings }
        let end = isThere ? "." : "; it does not exist."
        let place = TerminalText.safe("The file \(isThere ? "is" : "would be") \(file.path)\(end)")
        return settings + [columns.map { TerminalText.wrapped(place, to: $0 - 1, indent: 2) } ?? place]
    }

    /// The report as one JSON object for each key.
    var json: [JSON] {
        rows.map { row in
            var members: [JSON.Member] = [
                .init(name: "key", value: .string(row.key.name)),
                .init(name: "value", value: .optional(row.value)),
            ]
            switch row.origin {
            case .option(let name):
                members += [
                    .init(name: "from", value: "option"), .init(name: "option", value: .string(name)),
                ]
            case .variable(let name):
                members += [
                    .init(name: "from", value: "environment"), .init(name: "variable", value: .string(name)),
                ]
            case .file(let path, let line):
                members += [
                    .init(name: "from", value: "file"), .init(name: "file", value: .string(path)),
                    .init(name: "line", value: .int(Int64(line))),
                ]
            case .builtIn: members.append(.init(name: "from", value: "default"))
            }
            return .object(members)
        }
    }
}

extension String {
    /// The text padded with spaces to a width.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
