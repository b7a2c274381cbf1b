import Ferry
import FerryFrontend

/// The cookies of a command, and the file in which it saves them.
struct SavedCookies: Sendable {
    /// The cookies. They are shared by all requests of the command, whether or not they are saved.
    let shared: SessionCookies
    private let file: PrivateFile?
    private let console: Console

    /// - Parameters:
    ///   - path: the file that the user named; `nil` if the cookies are not saved.
    ///   - jar: the cookies to begin with; `nil` if none were loaded.
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    init(to path: String?, beginningWith jar: CookieJar?, _ session: Session) throws(CommandFailure) {
        file = try Self.file(path, session.environment)
        try file?.check()
        shared = jar.map { SessionCookies($0) } ?? SessionCookies()
        console = session.console
    }

    /// The file to load: none if it is the one to save to, and does not exist yet.
    static func loaded(
        _ path: String?,
        savingTo saved: String?,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> String? {
        guard let path, let file = try file(saved, environment), !file.isThere,
            environment.absolutePath(path) == file.path
        else { return path }
        return nil
    }

    private static func file(
        _ path: String?,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> PrivateFile? {
        guard let path else { return nil }
        guard !path.isEmpty, path != "-" else { throw .usage("--save-cookies needs a file name.") }
        return PrivateFile(path: environment.absolutePath(path))
    }

    /// Runs `body`, and saves the cookies even if it fails.
    func saving(_ body: () async throws -> ExitStatus) async throws -> ExitStatus {
        let status: ExitStatus
        do {
            status = try await body()
        } catch {
            if let failure = save() { console.failure(failure) }
            throw error
        }
        guard let failure = save() else { return status }
        guard status != .done else { throw failure }
        console.failure(failure)
        return status
    }

    /// Saves the cookies.
    ///
    /// - Returns: why they were not saved.
    private func save() -> CommandFailure? {
        guard let file else { return nil }
        do throws(CommandFailure) {
            try file.write(Array(shared.text(at: SystemTime.now).utf8))
            return nil
        } catch {
            return error
        }
    }
}
