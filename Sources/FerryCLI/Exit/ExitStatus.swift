/// What the tool tells the shell when it ends; aria2's numbers where aria2 has one, and `sysexits`' for bad usage.
enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Everything that was asked for is done.
    case done = 0
    /// Something else went wrong.
    case other = 1
    /// Nothing came within the allowed time, or it came too slowly.
    case timeout = 2
    /// The server has no such resource.
    case notFound = 3
    /// The network, the proxy or TLS failed.
    case network = 6
    /// Not finished; what was received is kept, and the same command goes on. Of a stream nothing is kept.
    case unfinished = 7
    /// The transfer cannot be continued from what is there.
    case cannotResume = 8
    /// The disk or the quota is full.
    case diskFull = 9
    /// A file with that name is there already.
    case fileExists = 13
    /// A file or the store cannot be opened.
    case cannotOpen = 15
    /// The file or its directory cannot be created.
    case cannotCreate = 16
    /// The host's name does not resolve.
    case nameNotResolved = 19
    /// The server's answer was wrong or unexpected.
    case badResponse = 22
    /// There were too many redirects.
    case tooManyRedirects = 23
    /// Credentials are missing, wrong or not enough.
    case notAuthorised = 24
    /// The server is overloaded or down for maintenance.
    case serverOverloaded = 29
    /// The file does not have the expected digest.
    case checksumMismatch = 32
    /// The command line makes no sense.
    case usage = 64
}
