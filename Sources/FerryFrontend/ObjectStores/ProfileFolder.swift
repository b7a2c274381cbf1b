import Ferry
import Glibc

/// The files of profiles of this user.
struct ProfileFolder {
    let environment: ProcessEnvironment

    /// Maximum length of a file, in bytes.
    static let longest = 1 << 20

    /// The profile for a store.
    ///
    /// - Parameter name: the profile that the user named; `nil` for the default one, which may be missing.
    func profile(_ name: String?, for store: ObjectStore) throws(CommandFailure) -> ObjectStoreProfile {
        switch store {
        case .s3: try awsProfile(name ?? environment["AWS_PROFILE"])
        case .oss: try ossutilProfile(name ?? environment["OSSUTIL_PROFILE"])
        // Google has no such file of HMAC keys, so they stand where S3 clients for its servers look.
        case .gs: try name == nil ? serviceAccount() : awsProfile(name)
        }
    }

    // MARK: AWS

    private func awsProfile(_ name: String?) throws(CommandFailure) -> ObjectStoreProfile {
        let configPath = path(variable: "AWS_CONFIG_FILE", "~/.aws/config")
        let credentialsPath = path(variable: "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials")
        let config = try file(configPath)
        let credentials = try file(credentialsPath)
        let section = name ?? "default"
        let found = [
            credentials[section],
            config["profile \(section)"] ?? (section == "default" ? config[section] : nil),
        ].compactMap(\.self)
        if found.isEmpty, let name {
            let names = config.sectionNames.compactMap(Self.awsProfileName) + credentials.sectionNames
            throw Self.unknown(
                name,
                among: names,
                in: "\(configPath ?? "~/.aws/config") or \(credentialsPath ?? "~/.aws/credentials")"
            )
        }
        let settings = found.reduce(into: [:]) { $0.merge($1) { first, _ in first } }
        let services = settings["services"].flatMap { config["services \($0)"] } ?? [:]
        // A token belongs to the key of its own section. All other settings are looked for one by one.
        let keys = found.reduce(ObjectStoreProfile()) { $0.completed(by: ObjectStoreProfile(aws: $1)) }
        return ObjectStoreProfile(aws: settings, services: services).withoutCredentials.completed(by: keys)
    }

    private static func awsProfileName(_ section: String) -> String? {
        let prefix = "profile "
        return section == "default"
            ? section : section.hasPrefix(prefix) ? String(section.dropFirst(prefix.count)) : nil
    }

    // MARK: ossutil

    private func ossutilProfile(_ name: String?) throws(CommandFailure) -> ObjectStoreProfile {
        let path = path(variable: "OSSUTIL_CONFIG_FILE", "~/.ossutilconfig")
        let file = try file(path)
        let section = name ?? "default"
        // Version 1 of ossutil has one section, `Credentials`.
        let settings =
            file["profile \(section)"] ?? file[section] ?? (section == "default" ? file["Credentials"] : nil)
        if settings == nil, let name {
            throw Self.unknown(
                name,
                among: file.sectionNames.map { Self.awsProfileName($0) ?? $0 },
                in: path ?? "~/.ossutilconfig"
            )
        }
        return ObjectStoreProfile(ossutil: settings ?? [:])
    }

    // MARK: Google

    /// The service account in the file that Google's own tools use.
    private func serviceAccount() throws(CommandFailure) -> ObjectStoreProfile {
        let variable = "GOOGLE_APPLICATION_CREDENTIALS"
        guard environment["GS_ACCESS_KEY_ID"] == nil, let named = environment[variable],
            let path = path(variable: variable, named)
        else { return ObjectStoreProfile() }
        guard let contents = try contents(path) else {
            throw .cannotOpen("\(path), which \(variable) names, does not exist.")
        }
        guard let profile = ObjectStoreProfile(serviceAccount: contents.bytes) else {
            throw .noCredentials(
                "\(path) is not the key of a service account.",
                hint: "`gcloud iam service-accounts keys create FILE --iam-account ACCOUNT` makes one."
            )
        }
        return profile
    }

    // MARK: Files

    private static func unknown(_ name: String, among names: [String], in place: String) -> CommandFailure {
        let known = Set(names).sorted().map { TerminalText.safe($0) }
        return .usage(
            "There is no profile '\(TerminalText.safe(name))' in \(place).",
            hint: known.isEmpty ? nil : "There are: \(known.joined(separator: ", "))."
        )
    }

    private func path(variable: String, _ standard: String) -> String? {
        guard
            let path = environment[variable]
                ?? environment.home.map({ FilePath.expandingTilde(standard, home: $0) })
        else { return nil }
        return environment.absolutePath(path)
    }

    /// Reads a file of profiles; one that does not exist is empty.
    private func file(_ path: String?) throws(CommandFailure) -> ProfileFile {
        guard let path, let contents = try contents(path) else { return ProfileFile() }
        do {
            return try ProfileFile(parsing: contents.text)
        } catch {
            throw .cannotOpen("Line \(error.line) of \(path) is neither a section nor a setting.")
        }
    }

    /// The bytes of a file; `nil` if it does not exist.
    private func contents(_ path: String) throws(CommandFailure) -> FileReader.Contents? {
        let contents: FileReader.Contents
        do {
            contents = try FileReader.read(path, atMost: Self.longest + 1, from: .file)
        } catch {
            if error.isAbsent { return nil }
            throw .cannotOpen("\(path) cannot be read: \(error.reason).")
        }
        guard contents.bytes.count <= Self.longest else {
            throw .cannotOpen("\(path) is longer than \(Self.longest >> 20) MiB.")
        }
        try check(contents, path)
        return contents
    }

    /// Refuses a file that another user may have written: it can name a command to run.
    private func check(_ contents: FileReader.Contents, _ path: String) throws(CommandFailure) {
        guard contents.mode & S_IFMT == S_IFREG else { return }
        guard contents.mode & 0o022 == 0 else {
            throw .cannotOpen(
                "\(path) was not used, because others may write it (mode \(contents.permissions)).",
                hint: "Fix it with `chmod go-w \(path)`."
            )
        }
        guard !contents.isOfOtherUser else {
            throw .cannotOpen("\(path) was not used, because it belongs to another user.")
        }
    }
}
