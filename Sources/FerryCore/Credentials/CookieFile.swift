/// A file of cookies in Netscape's format, as browsers' add-ons, curl and wget write it, and which of them a request gets
/// (RFC 6265).
///
/// Each line is a cookie: its domain, whether hosts below it get it as well, its path, whether only https gets it, when it expires in
/// seconds since 1970 (0 for never), its name and its value, with tabs between them.
package struct CookieFile: Hashable, Sendable {
    /// A cookie.
    struct Cookie: Hashable, Sendable {
        let domain: String
        let includesSubdomains: Bool
        let path: String
        let isSecure: Bool
        /// In seconds since 1970; `nil` for never.
        let expiry: Int64?
        let name: String
        let value: String
    }

    /// A line that is no cookie.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line, counted from 1.
        package let line: Int

        /// Creates an error.
        package init(line: Int) {
            self.line = line
        }

        /// The line and what it should be, in one sentence for a person. The line itself may be a secret.
        package var description: String {
            "line \(line) is not a cookie in Netscape's format: seven fields with tabs between them."
        }
    }

    let cookies: [Cookie]

    /// Reads the text of a file.
    ///
    /// - Throws: ``ParseError`` for the first line that is neither a cookie, nor empty, nor a comment.
    package init(parsing text: String) throws(ParseError) {
        var cookies: [Cookie] = []
        // Some editors put a byte order mark before the text.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            // Cookies that scripts of a page may not read are marked like this.
            let mark = "#HttpOnly_"
            let isMarked = line.hasPrefix(mark)
            guard !line.allSatisfy(\.isWhitespace), isMarked || !line.hasPrefix("#") else { continue }
            guard let cookie = Cookie(isMarked ? line.dropFirst(mark.count) : line) else {
                throw ParseError(line: index + 1)
            }
            cookies.append(cookie)
        }
        self.cookies = cookies
    }

    /// The value of the `Cookie` field of a request (RFC 6265 §5.4); `nil` if it gets no cookie. Those of longer paths come first.
    package func field(for url: HTTPURL, at now: Instant) -> String? {
        // Sorting is stable: those of equally long paths stay in the order of the file.
        let chosen = cookies.filter { $0.isFor(url, at: now) }
            .sorted { $0.path.utf8.count > $1.path.utf8.count }
        guard !chosen.isEmpty else { return nil }
        return chosen.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }
}

extension CookieFile.Cookie {
    /// Reads a line.
    fileprivate init?(_ line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 7, !fields[0].isEmpty, let expiry = Int64(fields[4].prefix { $0 != "." }),
            ["TRUE", "FALSE"].contains(fields[1].uppercased()),
            ["TRUE", "FALSE"].contains(fields[3].uppercased()),
            !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }), !fields[6].contains(";")
        else { return nil }
        let isDotted = fields[0].hasPrefix(".")
        domain = fields[0].drop { $0 == "." }.lowercased()
        includesSubdomains = isDotted || fields[1].uppercased() == "TRUE"
        path = fields[2].hasPrefix("/") ? String(fields[2]) : "/"
        isSecure = fields[3].uppercased() == "TRUE"
        self.expiry = expiry == 0 ? nil : expiry
        (name, value) = (String(fields[5]), String(fields[6]))
    }

    /// Whether a request of `url` gets it.
    fileprivate func isFor(_ url: HTTPURL, at now: Instant) -> Bool {
        if isSecure, url.scheme != .https { return false }
        if let expiry, now >= Instant(seconds: expiry) { return false }
        return isFor(host: url.host) && isFor(path: url.path)
    }

    /// RFC 6265 §5.1.3. An address has no hosts below it.
    private func isFor(host: String) -> Bool {
        if host == domain { return true }
        return includesSubdomains && host.hasSuffix("." + domain) && IPAddress(host) == nil
    }

    /// RFC 6265 §5.1.4.
    private func isFor(path requested: String) -> Bool {
        let requested = requested.isEmpty ? "/" : requested
        guard requested.hasPrefix(path) else { return false }
        return requested.utf8.count == path.utf8.count || path.hasSuffix("/")
            || requested.dropFirst(path.count).hasPrefix("/")
    }
}
