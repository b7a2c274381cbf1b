/// A cookie, and which requests get it (RFC 6265).
package struct Cookie: Hashable, Sendable {
    /// The name. Only one from a file may be empty.
    package let name: String
    /// The value; a secret.
    package let value: String
    /// The host that set it, or the domain whose hosts get it. It is in lowercase, and does not begin with a dot.
    package let domain: String
    /// Whether only that host gets it, and no host below it.
    package let isHostOnly: Bool
    /// The path at or below which it is sent.
    package let path: String
    /// Whether only https gets it.
    package let isSecure: Bool
    /// Whether browsers hide it from scripts. Ferry only keeps this in a file of cookies.
    package let isHTTPOnly: Bool
    /// When it expires; `nil` at the end of the session.
    package var expiry: Instant?

    init(
        _ name: String,
        _ value: String,
        domain: String,
        isHostOnly: Bool,
        path: String = "/",
        isSecure: Bool,
        isHTTPOnly: Bool = false,
        expiry: Instant? = nil
    ) {
        (self.name, self.value, self.domain, self.isHostOnly) = (name, value, domain, isHostOnly)
        (self.path, self.isSecure, self.isHTTPOnly, self.expiry) = (path, isSecure, isHTTPOnly, expiry)
    }

    /// What tells cookies of one jar apart (RFC 6265 §5.3, step 11).
    struct Identity: Hashable {
        let name: String
        let domain: String
        let path: String
    }

    var identity: Identity { Identity(name: name, domain: domain, path: path) }

    /// Whether another cookie takes its place in a jar.
    func isReplaced(by other: Cookie) -> Bool { identity == other.identity }

    /// The cookie as a request carries it.
    var pair: String { name.isEmpty ? value : "\(name)=\(value)" }

    /// Whether it has expired.
    func isExpired(at now: Instant) -> Bool { expiry.map { now >= $0 } ?? false }

    /// Whether another cookie differs in nothing but its expiry.
    func isSent(like other: Cookie) -> Bool {
        var same = self
        same.expiry = other.expiry
        return same == other
    }
}

// MARK: Who gets it

extension Cookie {
    /// Whether a request of `url` gets it (RFC 6265 §5.4).
    func isFor(_ url: HTTPURL, at now: Instant) -> Bool {
        if isSecure, url.scheme != .https { return false }
        return !isExpired(at: now) && isFor(host: url.host) && isFor(path: url.path)
    }

    /// RFC 6265 §5.1.3. An address has no hosts below it.
    func isFor(host: String) -> Bool {
        if host == domain { return true }
        return !isHostOnly && host.hasSuffix("." + domain) && IPAddress(host) == nil
    }

    /// RFC 6265 §5.1.4.
    func isFor(path requested: String) -> Bool {
        guard requested.utf8.starts(with: path.utf8) else { return false }
        return requested.utf8.count == path.utf8.count || path.utf8.last == 0x2F
            || requested.utf8.dropFirst(path.utf8.count).first == 0x2F
    }
}

// MARK: Who sets it

extension Cookie {
    /// The cookie that an answer of `url` sets.
    ///
    /// - Returns: `nil` if the server must not set it: for another host, for a domain that can only be a public suffix, or
    ///   against its own name. Also if it gives no path, and that of the URL is longer than one in a field may be.
    init?(_ field: SetCookie, from url: HTTPURL, at now: Instant) {
        let path = field.path ?? Self.defaultPath(of: url)
        guard !field.isSecure || url.scheme == .https, Self.isTrue(name: field.name, of: field),
            let scope = Self.scope(of: field.domain, from: url.host),
            // A server chooses the URLs to which it redirects.
            path.utf8.count <= SetCookie.longestAttribute
        else { return nil }
        self.init(
            field.name,
            field.value,
            domain: scope.domain,
            isHostOnly: scope.isHostOnly,
            path: path,
            isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly,
            expiry: field.expiry(receivedAt: now)
        )
    }

    /// Which hosts get a cookie that a host sets for a domain.
    private static func scope(of domain: String?, from host: String) -> (domain: String, isHostOnly: Bool)? {
        guard let domain else { return (host, true) }
        // A name of one label, such as `com`, is a public suffix or the host itself. An address has no domain.
        let isSingle = domain.utf8.split(separator: 0x2E).count < 2 || IPAddress(host) != nil
        if domain == host { return (host, isSingle) }
        return !isSingle && host.hasSuffix("." + domain) ? (domain, false) : nil
    }

    /// Whether a cookie has what its name promises (RFC 6265bis §4.1.3). Lenient servers do not tell names apart by case.
    private static func isTrue(name: String, of field: SetCookie) -> Bool {
        let name = name.utf8.lowercasedASCIIText
        if name.hasPrefix("__host-") { return field.isSecure && field.domain == nil && field.path == "/" }
        return !name.hasPrefix("__secure-") || field.isSecure
    }

    /// RFC 6265 §5.1.4.
    private static func defaultPath(of url: HTTPURL) -> String {
        let directory = url.path.utf8.lastIndex(of: 0x2F).map { String(url.path[..<$0]) } ?? ""
        return directory.isEmpty ? "/" : directory
    }
}

extension Cookie: CustomStringConvertible, CustomReflectable {
    /// The name and the domain; the value is never shown.
    package var description: String { "\(name)=… of \(domain)" }

    /// A mirror that shows the name and the domain only.
    package var customMirror: Mirror { Mirror(self, children: ["name": name, "domain": domain]) }
}

// MARK: Netscape's format

extension Cookie {
    /// Marks a cookie that browsers hide from scripts.
    static let mark = "#HttpOnly_"

    /// Reads a line of a file: seven fields with tabs between them.
    init?(line: Substring) {
        let isMarked = line.hasPrefix(Self.mark)
        let fields = (isMarked ? line.dropFirst(Self.mark.count) : line)
            .split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 7, !fields[0].isEmpty, let expiry = Int64(fields[4].prefix { $0 != "." }),
            let isWide = Self.truth(fields[1]), let isSecure = Self.truth(fields[3]),
            !line.utf8.contains(where: { $0.isControl && $0 != 0x09 }), !fields[6].utf8.contains(0x3B)
        else { return nil }
        self.init(
            String(fields[5]),
            String(fields[6]),
            domain: fields[0].drop { $0 == "." }.lowercased(),
            isHostOnly: !isWide && !fields[0].hasPrefix("."),
            path: fields[2].hasPrefix("/") ? String(fields[2]) : "/",
            isSecure: isSecure,
            isHTTPOnly: isMarked,
            expiry: expiry == 0 ? nil : Instant(seconds: expiry)
        )
    }

    private static func truth(_ field: Substring) -> Bool? {
        switch field.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    /// The line of a file, which ``init(line:)`` reads.
    var line: String {
        let fields = [
            (isHTTPOnly ? Self.mark : "") + (isHostOnly ? domain : ".\(domain)"),
            isHostOnly ? "FALSE" : "TRUE", path, isSecure ? "TRUE" : "FALSE",
            // Curl and wget write 0 for the end of the session.
            expiry.map { String($0.milliseconds / 1000) } ?? "0", name, value,
        ]
        return fields.joined(separator: "\t")
    }
}
