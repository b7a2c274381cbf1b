import Ferry
import Glibc

/// The passwords of `~/.netrc`, or of the file that `--netrc-file` names.
package struct NetrcFile: Sendable {
    private var netrc: Netrc?
    /// Why the file was not used.
    package private(set) var warning: String?

    /// Maximum length of a password file, in bytes.
    static let longest = 1 << 20

    /// Whether a file is used.
    package var isPresent: Bool { netrc != nil }

    /// Creates an empty list of passwords.
    init() {}

    /// Reads the file.
    ///
    /// A file that others may read is not used: they may have changed it too, and its owner should know.
    ///
    /// - Throws: ``CommandFailure`` when a file named by the user cannot be used.
    /// - Parameter path: the file named by the user; `nil` reads `~/.netrc`.
    package init(path: String?, environment: ProcessEnvironment) throws(CommandFailure) {
        if let path {
            try read(environment.absolutePath(path), isRequired: true)
        } else if let home = environment.home {
            try read(home + "/.netrc", isRequired: false)
        }
    }

    private mutating func read(_ path: String, isRequired: Bool) throws(CommandFailure) {
        let contents: FileReader.Contents
        do {
            // A named file may be a pipe: a shell makes one for a command.
            contents = try FileReader.read(
                path,
                atMost: Self.longest + 1,
                from: isRequired ? .stream : .file
            )
        } catch {
            if !isRequired, error.isAbsent { return }
            return try refuse("\(path) was not read: \(error.reason).", isRequired: isRequired)
        }
        // The content of a device such as /dev/null is not secret.
        guard contents.mode & 0o077 == 0 || contents.mode & S_IFMT == S_IFCHR else {
            return try refuse(
                "\(path) was not used, because others may read it (mode \(contents.permissions)). "
                    + "Fix it with `chmod 600 \(path)`.",
                isRequired: isRequired
            )
        }
        guard !contents.isOfOtherUser else {
            return try refuse(
                "\(path) was not used, because it belongs to another user.",
                isRequired: isRequired
            )
        }
        guard contents.bytes.count <= Self.longest else {
            return try refuse(
                "\(path) was not used, because it is longer than \(Self.longest >> 20) MiB.",
                isRequired: isRequired
            )
        }
        do {
            netrc = try Netrc(parsing: contents.text)
        } catch {
            try refuse("\(path) was not used: \(error.description)", isRequired: isRequired)
        }
    }

    private mutating func refuse(_ text: String, isRequired: Bool) throws(CommandFailure) {
        guard !isRequired else { throw .cannotOpen(text) }
        warning = text
    }

    /// The credentials for a URL; `nil` if the URL or the command line already has some.
    func credentials(for url: HTTPURL, headers: [HeaderField]) -> Credentials? {
        let carriesAuthorization = headers.contains { $0.isNamed("Authorization") }
        guard let netrc, !carriesAuthorization, url.password == nil else { return nil }
        return netrc.credentials(forHost: url.host, login: url.user)
    }
}
