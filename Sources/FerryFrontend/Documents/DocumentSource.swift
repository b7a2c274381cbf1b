package import Ferry

/// The location of a small document named on a command line: on this machine, or at a URL.
package enum DocumentSource: Hashable, Sendable {
    /// A path as given; `-` is standard input.
    case file(String)
    /// A URL to fetch first.
    case url(HTTPURL)

    /// Reads the value of an option.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for an invalid URL.
    package init(parsing text: String, option: String) throws(CommandFailure) {
        guard !text.isEmpty else { throw .usage("\(option) needs a file name.") }
        let start = text.prefix(8).lowercased()
        guard start.hasPrefix("http://") || start.hasPrefix("https://") else {
            self = .file(text)
            return
        }
        do {
            self = .url(try HTTPURL(parsing: text))
        } catch {
            throw .usage("\(option): \(error.description)")
        }
    }

    /// The URL to fetch first; `nil` for a file.
    package var url: HTTPURL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// The name in messages; a URL is redacted.
    var name: String {
        switch self {
        case .file("-"): "standard input"
        case .file(let path): QuotedWord(path).description
        case .url(let url): url.redacted
        }
    }

    /// Reads a file; if it is longer than `limit`, returns one byte more.
    ///
    /// - Returns: `nil` for a URL.
    /// - Throws: ``CommandFailure`` with status 15 when it cannot be read.
    func read(atMost limit: Int, _ environment: ProcessEnvironment) throws(CommandFailure) -> [UInt8]? {
        guard case .file(let path) = self else { return nil }
        do {
            let expanded = FilePath.expandingTilde(path, home: environment.home)
            return try FileReader.read(expanded, atMost: limit + 1).bytes
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
    }
}
