import Ferry

/// What `ferry config` tells: the value of each key that is in force, and where it comes from; no secret.
struct SettingsReport: Sendable {
    /// One key.
    struct Row: Hashable, Sendable {
        var key: SettingKey
        /// The value; `nil` where there is none, and the next one is asked: the system, or the program's place.
        var value: String?
        var origin: Setting.Origin
    }

    /// All keys, in their order.
    let rows: [Row]
    private let file: SettingsFile?
    private let isThere: Bool

    /// - Parameter dataDirectory: where the list of transfers is in the end, whoever says so.
    /// - Parameter isThere: whether the file is, which need not be.
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

    /// What holds when nobody says anything.
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
        case .proxy, .noProxy, .certificateAuthorities, .dataDirectory: nil
        }
    }

    /// The report for a person: where the file is, and a line for each key.
    var lines: [String] {
        let width = SettingKey.allCases.map(\.name.count).max() ?? 0
        let values = rows.map { TerminalText.safe($0.value ?? "-") }
        let valueWidth = min(values.map(\.count).max() ?? 0, 40)
        let settings = zip(rows, values).map { row, value in
            row.key.name.padded(to: width) + "  " + value.padded(to: valueWidth) + "  "
                + TerminalText.safe(row.origin.description)
        }
        return settings
            + (file.map {
                [
                    TerminalText.safe(
                        "The file \(isThere ? "is" : "would be") \($0.path)\(isThere ? "." : "; it does not exist.")"
                    )
                ]
            } ?? [])
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
    /// The text with spaces behind it, up to a width.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
