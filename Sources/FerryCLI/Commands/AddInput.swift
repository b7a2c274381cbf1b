import FerryFrontend

/// What `ferry add` is asked to queue, as texts that are not checked yet.
struct AddInput: Hashable, Sendable {
    /// What to download, and how.
    var download = DownloadInput()
    /// The rate limit of each download.
    var limitRate: String?
    /// The options of every command.
    var global = GlobalInput()
}
