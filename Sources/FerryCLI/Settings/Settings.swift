import Configuration
import FerryFrontend

/// The settings for all commands: the value of each key from its first source, and that source.
struct Settings: Hashable, Sendable {
    /// The values that were set.
    private(set) var given: [SettingKey: Setting] = [:]

    /// Creates settings without values.
    init() {}

    /// Reads the settings of the environment, and below them those of the file.
    ///
    /// - Throws: ``CommandFailure`` for an invalid variable or file.
    init(_ environment: ProcessEnvironment, file: SettingsFile?) throws(CommandFailure) {
        var variables: [String: String] = [:]
        for key in SettingKey.allCases { variables[key.variable] = environment[key.variable] }
        let entries = try file?.read() ?? [:]
        // Most commands have no settings, and a reader costs more to make than to ask.
        guard !variables.isEmpty || !entries.isEmpty else { return }
        let lines = entries.map { key, entry in
            (
                AbsoluteConfigKey(key.address),
                ConfigValue(.string(entry.text), isSecret: key.isSecret(entry.text))
            )
        }
        let reader = ConfigReader(providers: [
            EnvironmentVariablesProvider(environmentVariables: variables),
            InMemoryProvider(name: file?.path, values: Dictionary(uniqueKeysWithValues: lines)),
        ])
        for key in SettingKey.allCases {
            guard let text = reader.string(forKey: key.address, isSecret: key == .proxy) else { continue }
            if variables[key.variable] != nil {
                guard key.accepts(text) else {
                    throw .usage(
                        "\(key.variable) must be \(key.allowed).",
                        hint: "Correct the variable, or unset it."
                    )
                }
                given[key] = Setting(text: text, origin: .variable(key.variable))
            } else if let entry = entries[key], let file {
                given[key] = Setting(text: text, origin: .file(path: file.path, line: entry.line))
            }
        }
    }

    /// A warning for each variable whose name is nearly that of a setting, and is of no effect.
    static func misspelt(_ variables: some Sequence<String>) -> [String] {
        let known = SettingKey.allCases.map(\.variable) + ["FERRY_CONFIG"]
        return variables.filter { $0.hasPrefix("FERRY_") && !known.contains($0) }.sorted().compactMap {
            name in
            EditDistance.nearest(to: name, among: known, within: 2).map {
                "The variable \(TerminalText.safe(name)) has no effect; did you mean \($0)?"
            }
        }
    }

    /// The value of a key; `nil` if it was not set.
    subscript(_ key: SettingKey) -> String? { given[key]?.text }

    /// The value of a numeric key, which was already checked.
    func number(_ key: SettingKey) -> Int? { self[key].flatMap { Int($0) } }

    /// Overrides a key with an option of the command line.
    mutating func override(_ key: SettingKey, _ text: String?, by option: String) {
        guard let text else { return }
        given[key] = Setting(text: text, origin: .option(option))
    }
}

extension SettingKey {
    /// The key's address in the configuration reader; the variable is `FERRY_` and the name in capitals.
    fileprivate var address: ConfigKey { ConfigKey(["ferry", name]) }
}
