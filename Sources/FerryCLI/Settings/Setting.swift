import Ferry

/// The value of one key, and who says so.
struct Setting: Hashable, Sendable {
    /// Where a value comes from; each of them overrules those below it.
    enum Origin: Hashable, Sendable {
        /// An option of the command line.
        case option(String)
        /// A variable of the environment.
        case variable(String)
        /// A line of the configuration file.
        case file(path: String, line: Int)
        /// Nobody said anything.
        case builtIn
    }

    /// The value as it was written.
    var text: String
    /// Who says so.
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
    /// The value as anybody may see it (I7).
    func shown(for key: SettingKey) -> String {
        guard key.isSecret(text) else { return text }
        do {
            // What a proxy says of itself is free of its password.
            return try Proxy(parsing: text).description
        } catch {
            return "(hidden)"
        }
    }
}
