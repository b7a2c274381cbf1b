import FerryFrontend

/// The changes, as far as they concern a service, after the configuration was read again.
struct SettingsChange: Hashable, Sendable {
    /// Keys that take effect at once.
    private(set) var atOnce: [SettingKey] = []
    /// Keys that take effect at the next start of the service.
    private(set) var atStart: [SettingKey] = []
    private var values: [SettingKey: String] = [:]

    /// Creates an empty change.
    init() {}

    init(from old: Settings, to new: Settings) {
        for key in SettingKey.allCases where old[key] != new[key] {
            switch key.effect {
            case .atOnce: atOnce.append(key)
            case .atStart: atStart.append(key)
            case .whenAdded: continue
            }
            values[key] = new.given[key]?.shown(for: key)
        }
    }

    /// The lines that report the change.
    var lines: [String] {
        var lines = ["The configuration was reloaded" + (atOnce.isEmpty ? "." : ": \(shown(atOnce)).")]
        if !atStart.isEmpty { lines.append("Takes effect at the next start: \(shown(atStart)).") }
        return lines
    }

    private func shown(_ keys: [SettingKey]) -> String {
        keys.map { key in
            TerminalText.safe("\(key.name) is \(values[key].map { "now \($0)" } ?? "no longer set")")
        }.joined(separator: ", ")
    }
}
