/// The exit status of the tool. The numbers are those of aria2 where it has one. 63 is that of curl, 64 that of `sysexits`, and
/// 33 is Ferry's own.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    /// Everything requested is done.
    case done = 0
    /// Another failure.
    case other = 1
    /// The server sent nothing within the time limit, or too slowly.
    case timeout = 2
    /// The server has no such resource.
    case notFound = 3
    /// The network, the proxy or TLS failed.
    case network = 6
    /// Not finished; received bytes are kept, and the same command resumes. A stream keeps no bytes.
    case unfinished = 7
    /// The transfer cannot be resumed from its bytes.
    case cannotResume = 8
    /// The disk or the quota is full.
    case diskFull = 9
    /// A file with that name already exists.
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
    /// Credentials are missing, wrong or insufficient.
    case notAuthorised = 24
    /// The server is overloaded or down for maintenance.
    case serverOverloaded = 29
    /// The file does not have the expected digest.
    case checksumMismatch = 32
    /// It is unknown whether a request arrived, and it is not sent again.
    case outcomeUnknown = 33
    /// The file is longer than allowed.
    case tooLong = 63
    /// The command line is invalid.
    case usage = 64
}
