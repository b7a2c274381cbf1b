/// Cookies, which requests get them, and which of those that servers set are kept (RFC 6265).
///
/// It reads and writes Netscape's format, as curl, wget and the add-ons of browsers do. Each line is a cookie: its domain,
/// whether hosts below it get it as well, its path, whether only https gets it, when it expires in seconds since 1970 (0 at the
/// end of the session), its name and its value, with tabs between them.
package struct CookieJar: Hashable, Sendable {
    /// The cookies, the oldest first. A cookie that is replaced keeps its age.
    private var cookies: [Cookie] = []

    /// Maximum number of cookies, beyond which one that a server sets replaces an older one. A file may have more.
    static let most = 3000
    /// The same for those of one domain.
    static let mostOfDomain = 50

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

    /// A jar without cookies.
    package init() {}

    /// Whether it has no cookies.
    package var isEmpty: Bool { cookies.isEmpty }

    // MARK: Sending

    /// The value of the `Cookie` field of a request (RFC 6265 §5.4); `nil` if it gets no cookie. Those of longer paths come
    /// first, and then the oldest.
    package func field(for url: HTTPURL, at now: Instant) -> String? {
        guard url.scheme.store == nil else { return nil }
        let chosen = cookies.filter { $0.isFor(url, at: now) }.enumerated()
            .sorted { one, other in
                let (length, otherLength) = (one.element.path.utf8.count, other.element.path.utf8.count)
                return length == otherLength ? one.offset < other.offset : length > otherLength
            }
        guard !chosen.isEmpty else { return nil }
        return chosen.map(\.element.pair).joined(separator: "; ")
    }

    // MARK: Storing

    /// Keeps what the `Set-Cookie` fields of an answer set (RFC 6265 §5.3), and drops what they expire.
    ///
    /// - Parameters:
    ///   - fields: the values of the fields, in their order.
    ///   - url: what was requested.
    /// - Returns: whether any request gets other cookies now.
    package mutating func store(_ fields: [String], from url: HTTPURL, at now: Instant) -> Bool {
        guard url.scheme.store == nil else { return false }
        var isChanged = false
        for field in fields {
            guard let cookie = SetCookie(field).flatMap({ Cookie($0, from: url, at: now) }),
                url.scheme == .https || !hidesSecureCookie(cookie)
            else { continue }
            if put(cookie, at: now) { isChanged = true }
        }
        return isChanged
    }

    /// Keeps the cookies of a `Cookie` field for the host of a URL, whatever their paths were.
    package mutating func keep(_ field: String, for url: HTTPURL, at now: Instant) {
        for pair in field.split(separator: ";") {
            let bytes = Array(pair.utf8).trimmingBlanks
            guard !bytes.isEmpty else { continue }
            let equals = bytes.firstIndex(of: 0x3D)
            let (name, value) =
                equals.map { (bytes[..<$0], bytes[($0 + 1)...]) } ?? (bytes[..<bytes.startIndex], bytes)
            let isSecure = url.scheme == .https
            let cookie = Cookie(name.text, value.text, domain: url.host, isHostOnly: true, isSecure: isSecure)
            _ = put(cookie, at: now)
        }
    }

    /// Whether a cookie that came in clear would take the place of one that only https gets (RFC 6265bis §5.7, step 12).
    private func hidesSecureCookie(_ cookie: Cookie) -> Bool {
        cookies.contains { other in
            other.isSecure && other.name == cookie.name && other.isFor(path: cookie.path)
                && (other.isFor(host: cookie.domain) || cookie.isFor(host: other.domain))
        }
    }

    /// Puts a cookie in the place of the one that it replaces. An expired one only removes it.
    ///
    /// - Returns: whether any request gets other cookies now.
    private mutating func put(_ cookie: Cookie, at now: Instant) -> Bool {
        guard let index = cookies.firstIndex(where: { $0.isReplaced(by: cookie) }) else {
            guard !cookie.isExpired(at: now) else { return false }
            makeRoom(for: cookie, at: now)
            cookies.append(cookie)
            return true
        }
        let former = cookies[index]
        guard !cookie.isExpired(at: now) else {
            cookies.remove(at: index)
            return !former.isExpired(at: now)
        }
        cookies[index] = cookie
        return former.isExpired(at: now) || !former.isSent(like: cookie)
    }

    /// Keeps the jar within its bounds (RFC 6265 §5.3): expired cookies go first, then the oldest.
    private mutating func makeRoom(for cookie: Cookie, at now: Instant) {
        func isFull() -> Bool {
            cookies.count >= Self.most
                || cookies.count(where: { $0.domain == cookie.domain }) >= Self.mostOfDomain
        }
        guard isFull() else { return }
        cookies.removeAll { $0.isExpired(at: now) }
        guard isFull() else { return }
        let isOfDomain = cookies.count(where: { $0.domain == cookie.domain }) >= Self.mostOfDomain
        let oldest = cookies.firstIndex { !isOfDomain || $0.domain == cookie.domain }
        if let oldest { cookies.remove(at: oldest) }
    }
}

// MARK: Files

extension CookieJar {
    /// Reads the text of a file. Of two lines for the same cookie, the later one counts.
    ///
    /// - Throws: ``ParseError`` for the first line that is neither a cookie, nor empty, nor a comment.
    package init(parsing text: String) throws(ParseError) {
        var places: [Cookie.Identity: Int] = [:]
        // Some editors put a byte order mark before the text.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: Self.endsLine)
            .enumerated()
        {
            let isComment = line.hasPrefix("#") && !line.hasPrefix(Cookie.mark)
            guard !line.allSatisfy(\.isWhitespace), !isComment else { continue }
            guard let cookie = Cookie(line: line) else { throw ParseError(line: index + 1) }
            if let place = places[cookie.identity] {
                cookies[place] = cookie
            } else {
                places[cookie.identity] = cookies.count
                cookies.append(cookie)
            }
        }
    }

    /// A value may contain other characters that end lines elsewhere.
    private static func endsLine(_ character: Character) -> Bool {
        character == "\n" || character == "\r\n" || character == "\r"
    }

    /// The text of a file with the cookies that have not expired, session cookies included.
    package func text(at now: Instant) -> String {
        let lines = cookies.filter { !$0.isExpired(at: now) }.map(\.line)
        return (["# Netscape HTTP Cookie File", "# Written by ferry. The values are secrets.", ""] + lines)
            .joined(separator: "\n") + "\n"
    }
}
