import Ferry

/// The value of one key, and its origin.
struct Setting: Hashable, Sendable {
    /// The origin of a value; each overrides those below it.
    enum Origin: Hashable, Sendable {
        /// An option of the command line.
        case option(String)
        /// A variable of the environment.
        case variable(String)
        /// A line of the configuration file.
        case file(path: String, line: Int)
        /// The built-in default.
        case builtIn
    }

    /// The value as it was written.
    var text: String
    /// The origin of the value.
    var origin: Origin
}

extension Setting.Origin: CustomStringConvertible {
    var description: String {
        switch self {
        case .option(let name): name
        case .variable(let name): name
        case .file(let path, let line): "\(path), line \(line)"
        case .builtIn: "default"
        }
    }
}

extension Setting {
    /// The value as it may be shown (I7).
    func shown(for key: SettingKey) -> String {
        guard key.isSecret(text) else { return text }
        do {
            // A proxy's description leaves out its password.
            return try Proxy(parsing: text).description
        } catch {
            return "(hidden)"
        }
    }
}
