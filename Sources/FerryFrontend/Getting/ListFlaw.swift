import Ferry

/// A wrong line of a list of downloads.
struct ListFlaw: Error {
    let line: Int
    private let cause: CommandFailure

    /// A line that cannot be read.
    init(_ error: ListFile.ParseError) {
        let way = error.reason.way.map { " \($0)" } ?? ""
        self.init(line: error.line, .usage(error.reason.description + way))
    }

    /// A line that can be read, but not be used.
    init(line: Int, _ failure: CommandFailure) {
        (self.line, cause) = (line, failure)
    }

    /// The failure of the line.
    func failure(in list: String) -> CommandFailure {
        cause.located(at: "\(list), line \(line)")
    }
}

extension ListFile.Reason {
    /// What to write or type instead; `nil` if the reason says it.
    fileprivate var way: String? {
        switch self {
        case .unknownOption(let name):
            // One letter in three may be wrong.
            EditDistance.nearest(
                to: name.lowercased(),
                among: ListFile.optionNames,
                within: max(1, name.utf8.count / 3)
            ).map { "Did you mean '\($0)'?" } ?? "`man ferry` lists the options of a list under --input."
        case .unsupportedOption(let option): option.way
        default: nil
        }
    }
}

extension UnsupportedListOption {
    /// What to write or type instead.
    fileprivate var way: String {
        switch self {
        case .dryRun: "`ferry get --dry-run -i LIST` prints what would be done."
        case .hashCheckOnly: "`ferry verify FILE --checksum DIGEST` checks a file."
        case .conditionalGet: "`ferry get -N -i LIST` downloads a file again only if it has changed."
        case .loadCookies: "Give the command --load-cookies FILE."
        case .saveCookies: "`ferry get --save-cookies FILE -i LIST` saves cookies."
        case .allProxyUser, .allProxyPassword: Self.inURL(of: "all-proxy")
        case .httpProxyUser, .httpProxyPassword: Self.inURL(of: "http-proxy")
        case .httpsProxyUser, .httpsProxyPassword: Self.inURL(of: "https-proxy")
        }
    }

    private static func inURL(of proxy: String) -> String {
        "Write both in the URL, as in \(proxy)=http://NAME:PASSWORD@HOST:PORT."
    }
}
