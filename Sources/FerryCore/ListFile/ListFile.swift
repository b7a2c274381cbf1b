/// A list of transfers, as `-i` reads it, in aria2's format.
///
/// Each line is one transfer; several URLs separated by tabs are mirrors of one another. Lines that begin with a
/// space or tab are options of the transfer above them. Empty lines, and lines whose first visible character is `#`,
/// are skipped.
package struct ListFile: Hashable, Sendable {
    /// The transfers, in the order of the file.
    package let entries: [Entry]

    /// One transfer.
    package struct Entry: Hashable, Sendable {
        /// The line of its URLs, counted from 1.
        package let line: Int
        /// Its URLs: at least one, followed by its mirrors.
        package let urls: [HTTPURL]
        /// `out=NAME`: the name to save as, relative to the directory, as written.
        package internal(set) var output: String?
        /// `dir=DIR`: the directory, as written.
        package internal(set) var directory: String?
        /// `checksum=ALGORITHM=HEX`: the digest that the file must have.
        package internal(set) var checksum: Checksum?
        /// `window=TIMES`: when it may run.
        package internal(set) var window: TimeWindow?
        /// `header=Name: value`: fields for its requests; only this option may be repeated. `referer=`, `user-agent=` and
        /// `http-no-cache=true` are fields as well.
        package internal(set) var headers: [HeaderLine] = []
        /// `split=N` or `max-connection-per-server=N`, whichever is less: up to how many connections to use.
        package internal(set) var connections: Int?
        /// `max-download-limit=RATE`: the maximum speed.
        package internal(set) var rateLimit: RateLimit?
        /// `lowest-speed-limit=SIZE`: the number of bytes per second below which a connection is closed.
        package internal(set) var lowSpeedLimit: Int64?
        /// `timeout=SECONDS`: the longest time without a byte.
        package internal(set) var idleTimeout: Duration?
        /// `connect-timeout=SECONDS`: how long connecting may take.
        package internal(set) var connectTimeout: Duration?
        /// `max-tries=N`: N - 1 retries; 0 tries without end.
        package internal(set) var retries: Int?
        /// `all-proxy=`, `http-proxy=`, `https-proxy=` and `no-proxy=`, by the names of the variables that mean the same. An empty
        /// value stands for no proxy.
        package internal(set) var proxies: [String: String] = [:]
        /// `no-netrc=true`: no password of a `.netrc` file is sent.
        package internal(set) var ignoresNetrc = false
        /// `pause=true`: it is recorded paused.
        package internal(set) var isPaused = false
        /// `http-user=NAME`: the user to log in as.
        package internal(set) var user: String?
        /// `http-passwd=PASSWORD`: the user's password.
        package internal(set) var password: String?
        /// `allow-overwrite=true`: an existing file is replaced.
        package internal(set) var overwrites = false
        /// `auto-file-renaming=true`: if the file exists, the new one gets a number. To overwrite goes before that, as in aria2.
        package internal(set) var renames = false
        /// `remote-time=true`: the file gets the server's time; `nil` if the list does not say.
        package internal(set) var keepsServerTime: Bool?
        /// `max-filesize=SIZE`: the maximum length, in bytes.
        package internal(set) var maximumLength: Int64?
        /// `retry-on=CODES`: the statuses that are retried besides the usual ones.
        package internal(set) var retriedStatuses: Set<Int>?
        /// The options of aria2 that have no effect here.
        package internal(set) var ignored: [String] = []
        /// The options that were given before, for the same URL.
        package internal(set) var repeats: [Repeat] = []

        /// A line with an option whose earlier value it replaces.
        package struct Repeat: Hashable, Sendable {
            /// The line, counted from 1.
            package let line: Int
            /// The name of the option.
            package let option: String
        }

        /// Whether it names nothing but a URL and a destination.
        package var isPlain: Bool {
            var plain = Self(line: line, urls: urls)
            (plain.output, plain.directory) = (output, directory)
            (plain.ignored, plain.repeats) = (ignored, repeats)
            return urls.count == 1 && plain == self
        }
    }

    /// Reads the text of a list. CR LF and a byte-order mark are tolerated; of a repeated option the last counts.
    ///
    /// - Throws: ``ParseError`` for the first line that is wrong.
    package init(parsing text: String) throws(ParseError) {
        var parser = Parser()
        var entries: [Entry] = []
        for part in [Array(text.utf8)[...], []] {
            parser.take(part)
            while let entry = try parser.next() { entries.append(entry) }
        }
        self.entries = entries
    }

    /// The maximum lengths of a line and of a list, in bytes (I9).
    package static let longestLine = 1 << 20, longest = 256 << 20
    /// Maximum number of transfers in a list.
    package static let most = 1_000_000

    /// The URLs of a line.
    static func urls(_ line: ArraySlice<UInt8>) throws(Reason) -> [HTTPURL] {
        var urls: [HTTPURL] = []
        for part in line.contains(0x09) ? line.split(separator: 0x09) : [line] {
            let text = part.trimmingBlanks
            guard !text.isEmpty else { continue }
            guard !text.hasURLAfterBlank else { throw .severalURLs }
            do {
                urls.append(try HTTPURL(typed: text))
            } catch {
                throw .invalidURL(error)
            }
        }
        return urls
    }
}

extension ArraySlice<UInt8> {
    /// Whether something that begins like a URL follows a blank. A URL may contain blanks, which are sent encoded, but not so.
    fileprivate var hasURLAfterBlank: Bool {
        split(separator: 0x20).dropFirst().contains { word in
            let scheme = word.prefix { $0.isLetter || $0.isDigit }
            return !scheme.isEmpty && word[scheme.endIndex...].starts(with: "://".utf8)
        }
    }
}
