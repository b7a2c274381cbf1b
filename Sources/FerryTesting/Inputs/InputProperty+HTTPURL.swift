import FerryCore
import HTTPTypes

extension InputProperty {
    /// A URL is read into a normal form that is ASCII, fits the limit, and parses as itself. Its redacted
    /// form has no secret of its userinfo (RFC 3986, I7). The name of an object is kept as it is.
    package static let url = InputProperty("url") { input in
        let url: HTTPURL
        do throws(HTTPURL.ParseError) {
            url = try HTTPURL(parsing: input.text)
        } catch {
            try require(!error.description.utf8.contains { $0 < 0x20 }, "a message is one line")
            return
        }
        if let name = url.objectName {
            try requireName(name, url)
        } else {
            try requireNormal(url)
        }
    }

    /// Throws unless a URL is the name of an object, and shown in one line.
    private static func requireName(_ name: ObjectName, _ url: HTTPURL) throws {
        let text = url.absoluteString
        try require(try HTTPURL(parsing: text) == url, "what is written is read as the same")
        try require(try ObjectName(parsing: text) == name, "and names the same object")
        try require(url.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "its path is visible ASCII")
        let segments = url.path.utf8.split(separator: 0x2F)
        let hasDots = segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        try require(!hasDots, "a path has no dot segments")
        try require(!url.redacted.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "it is shown in one line")
        try requireSafe(FileName.fromURL(url))
    }

    /// A reference resolves to an HTTP URL in normal form or not at all. A redirect there takes no secret to
    /// another origin (RFC 3986 §5.2, RFC 9110 §15.4, I7).
    package static let redirect = InputProperty("redirect") { input in
        let (head, tail) = input.headAndTail
        let base: HTTPURL
        do {
            base = try HTTPURL(parsing: head)
        } catch {
            return
        }
        let location = tail.text
        let outcome = RedirectRules()
            .follow(status: 307, location: location, from: base, method: .post, hops: [])
        guard case .follow(let target, let method, let dropsCredentials, _) = outcome else { return }
        try requireNormal(target)
        try require(base.scheme == .http || target.scheme == .https, "https never leads to http")
        try require(method == .post, "307 keeps the method")
        try require(dropsCredentials == (target.origin != base.origin), "secrets stay with their origin")
        try require(!dropsCredentials || target.user == nil, "and so does the userinfo")
        try require(try base.resolving(target.absoluteString) == target, "a whole URL resolves to itself")
        let loop = RedirectRules()
            .follow(status: 307, location: location, from: base, method: .post, hops: [target])
        guard case .refuse(.loop) = loop else {
            throw Violation(description: "who was asked is not asked again")
        }
    }

    /// Throws when the redacted form shows more of a query than names and short values (I7).
    static func requireRedacted(_ url: HTTPURL) throws {
        guard let query = url.query else { return }
        let shown = url.redacted.drop { $0 != "?" }.dropFirst()
        let parts = shown.split(separator: "&", omittingEmptySubsequences: false)
        let given = query.split(separator: "&", omittingEmptySubsequences: false)
        try require(parts.count == given.count, "each parameter is shown or masked")
        for part in parts where part != "…" {
            let value = part.drop { $0 != "=" }.dropFirst()
            try require(value == "…" || value.utf8.count <= 12, "a long value is masked")
            try require(part.prefix { $0 != "=" }.utf8.count <= 120, "a long name is masked")
        }
    }

    /// Throws unless a URL is in normal form.
    static func requireNormal(_ url: HTTPURL) throws {
        let text = url.absoluteString
        try require(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL is visible ASCII")
        try require(text.utf8.count <= HTTPURL.lengthLimit, "a URL fits the limit as it is written")
        try require(try HTTPURL(parsing: text) == url, "what is written is read as the same")
        try require(!url.host.isEmpty && url.host == url.host.lowercased(), "a host is in small letters")
        try require(url.port != url.scheme.defaultPort, "a default port is left out")
        try require((1...65535).contains(url.effectivePort), "a port is one")
        try require(url.path.utf8.first == 0x2F, "a path begins with a slash")
        let segments = url.path.utf8.split(separator: 0x2F)
        let hasDots = segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
        try require(!hasDots, "a path has no dot segments")
        let target = url.requestTarget.utf8
        try require(!target.contains(0x23), "a fragment is never sent")
        let origin = try HTTPURL(parsing: url.origin.description)
        try require(origin.origin == url.origin, "an origin is read as itself")
        try require(url.redacted == url.withoutUserinfo.withoutFragment.redacted, "no secret of it is shown")
        try requireRedacted(url)
        try requireSafe(FileName.fromURL(url))
    }
}
