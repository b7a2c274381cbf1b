import FerryFrontend
import Glibc

/// The location of the store.
enum DataDirectory {
    /// The directory to use: `--data-dir`, `FERRY_DATA_DIR`, `data-dir` of the settings, `$XDG_STATE_HOME/ferry`,
    /// `~/.local/state/ferry`.
    ///
    /// A relative `XDG_STATE_HOME` is ignored, as the XDG Base Directory Specification demands.
    static func path(
        option: String?,
        environment: ProcessEnvironment,
        settings: Settings = Settings()
    ) throws(CommandFailure) -> String {
        if let option {
            guard !option.isEmpty else { throw .usage("--data-dir needs a directory.") }
            return environment.absolutePath(option)
        }
        if let given = environment["FERRY_DATA_DIR"] ?? settings[.dataDirectory] {
            return environment.absolutePath(given)
        }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            return environment.absolutePath(state + "/ferry")
        }
        guard let home = environment.home else {
            throw .usage(
                "There is no home directory for the store.",
                hint: "Choose a directory with --data-dir or FERRY_DATA_DIR."
            )
        }
        return environment.absolutePath(home + "/.local/state/ferry")
    }

    /// Whether a directory has a store.
    static func holdsStore(_ directory: String) -> Bool {
        access(directory + "/ferry.sqlite", F_OK) == 0 || errno != ENOENT && errno != ENOTDIR
    }

    /// The message for a reading command without a store; `nil` if something that is no directory has its place. Opening the store
    /// says so.
    static func noStoreText(_ directory: String) -> String? {
        guard !FilePath.exists(directory) || FilePath.isDirectory(directory) else { return nil }
        return
            "There is no store in \(directory), and none was created. The first `ferry get` or `ferry add` creates one."
    }
}
