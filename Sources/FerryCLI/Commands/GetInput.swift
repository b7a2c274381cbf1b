import FerryFrontend

/// What `ferry get` is asked to do, as texts that are not checked yet.
struct GetInput: Hashable, Sendable {
    /// What becomes of the files.
    enum Aim: Hashable, Sendable {
        /// They are downloaded as this command does. Some commands take over files that other tools left unfinished.
        case fetch(RepeatedCommand)
        /// They are downloaded into a pool, or are there.
        case serve(from: PoolName)
    }

    /// What to download, and how.
    var download = DownloadInput()
    /// What becomes of the files.
    var aim = Aim.fetch(.getting)
    /// How many transfers run at once.
    var jobs = JobsInput()
    /// The rate limit of all transfers together.
    var limitRate: String?
    /// The file in which the cookies are saved.
    var savedCookies: String?
    /// The shell command that prints a fresh URL.
    var refreshCommand: String?
    /// What happens when a transfer has ended.
    var ends = EndInput()
    /// The options of every command.
    var global = GlobalInput()
}
