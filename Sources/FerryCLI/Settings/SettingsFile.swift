import FerryFrontend
import Glibc

/// The configuration file.
struct SettingsFile: Hashable, Sendable {
    /// The path, whether or not the file exists.
    let path: String
    /// Whether the user named it, so that it must exist.
    let isRequired: Bool

    /// The file to read: `--config`, `FERRY_CONFIG`, `$XDG_CONFIG_HOME/ferry/config.json`,
    /// `~/.config/ferry/config.json`; `nil` without a home directory.
    ///
    /// A relative `XDG_CONFIG_HOME` is ignored, as the XDG Base Directory Specification demands.
    static func find(option: String?, environment: ProcessEnvironment) throws(CommandFailure) -> SettingsFile?
    {
        if option?.isEmpty == true { throw .usage("--config needs a file name.") }
        if let given = option ?? environment["FERRY_CONFIG"] {
            return SettingsFile(path: environment.absolutePath(given), isRequired: true)
        }
        if let directory = environment["XDG_CONFIG_HOME"], directory.hasPrefix("/") {
            return SettingsFile(path: directory + "/ferry/config.json", isRequired: false)
        }
        return environment.home.map {
            SettingsFile(path: $0 + "/.config/ferry/config.json", isRequired: false)
        }
    }

    /// Whether the file exists.
    var isThere: Bool { access(path, F_OK) == 0 }

    /// Maximum length of a configuration file, in bytes.
    static let longest = 1 << 20

    /// Reads the file. A missing file sets nothing, unless the user named it.
    ///
    /// A file that others may write is not used, because they could lead every download through their proxy. A file
    /// with a password that others may read is not used either.
    ///
    /// - Throws: ``CommandFailure`` with status 15 when it cannot or must not be used, and 64 for invalid content.
    func read() throws(CommandFailure) -> [SettingKey: SettingsParser.Entry] {
        let contents: FileReader.Contents
        do {
            contents = try FileReader.read(
                path,
                atMost: Self.longest + 1,
                from: isRequired ? .stream : .file
            )
        } catch {
            if !isRequired, error.isAbsent { return [:] }
            throw refused(
                "was not read: \(error.reason)",
                hint: "Choose another one with --config or FERRY_CONFIG."
            )
        }
        guard !contents.isOfOtherUser else {
            throw refused("was not used, because it belongs to another user", hint: nil)
        }
        // The mode of a device such as /dev/null does not matter, because its content cannot be changed.
        guard contents.mode & 0o022 == 0 || contents.mode & S_IFMT == S_IFCHR else {
            throw refused(
                "was not used, because others may write it (mode \(contents.permissions))",
                hint: closing("go-w")
            )
        }
        guard contents.bytes.count <= Self.longest else { throw refused("is too long", hint: nil) }
        let entries: [SettingKey: SettingsParser.Entry]
        do {
            entries = try SettingsParser.parse(contents.bytes)
        } catch {
            throw .usage("\(path), line \(error.line): \(error.reason).")
        }
        let secret = entries.first { $0.key.isSecret($0.value.text) }
        guard let secret, contents.mode & 0o077 != 0 else { return entries }
        throw refused(
            "was not used, because others may read it (mode \(contents.permissions)), "
                + "and line \(secret.value.line) holds a password",
            hint: closing("600")
        )
    }

    private func closing(_ mode: String) -> String { "Fix it with `chmod \(mode) \(path)`." }

    private func refused(_ text: String, hint: String?) -> CommandFailure {
        .cannotOpen("\(path) \(text).", hint: hint)
    }
}
