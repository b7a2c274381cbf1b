extension HTTPURL {
    /// The longest URL in bytes of UTF-8, both as read and after normalisation.
    package static let lengthLimit = 65_536

    /// Parses an absolute URL as curl does on its command line.
    ///
    /// Spaces and tabs around it are ignored. Octets that RFC 3986 does not allow in path, query and fragment are
    /// escaped as UTF-8; a stray `%` is kept. Dot segments are resolved (RFC 3986 §5.2.4).
    ///
    /// - Throws: ``ParseError``, which quotes no possible secret.
    public init(parsing text: String) throws(ParseError) {
        try self.init(parsing: Array(text.utf8)[...])
    }

    /// Parses what a person typed: as ``init(parsing:)``, and a host with a path, such as `example.org/file`, is taken for `https`.
    ///
    /// A name without a slash is not: it may be meant as a file.
    ///
    /// - Throws: ``ParseError``, which quotes no possible secret.
    package init(typed text: String) throws(ParseError) {
        try self.init(typed: Array(text.utf8)[...])
    }

    /// Parses the octets of what a person typed, as ``init(typed:)`` does.
    init(typed octets: ArraySlice<UInt8>) throws(ParseError) {
        do throws(ParseError) {
            try self.init(parsing: octets)
        } catch {
            guard case .missingScheme = error, let url = try Self.withoutScheme(octets.trimmingBlanks) else {
                throw error
            }
            self = url
        }
    }

    /// The URL that a host with a path stands for; `nil` for any other text.
    ///
    /// - Throws: ``ParseError/invalidPort`` if only the number of its port is wrong.
    private static func withoutScheme(_ bytes: ArraySlice<UInt8>) throws(ParseError) -> HTTPURL? {
        guard let slash = bytes.firstIndex(of: 0x2F) else { return nil }
        do throws(ParseError) {
            let url = try HTTPURL(scheme: .https, afterSlashes: bytes).withinLimit()
            return url.host.utf8.contains(0x2E) || url.host == "localhost" ? url : nil
        } catch .invalidPort {
            let authority = bytes[..<slash]
            let host = authority.dropLast(authority.reversed().prefix { $0.isDigit }.count)
            guard host.last == 0x3A, try withoutScheme(host.dropLast() + bytes[slash...]) != nil else {
                return nil
            }
            throw .invalidPort
        } catch {
            return nil
        }
    }

    /// Parses the octets of an absolute URL, as ``init(parsing:)`` does.
    init(parsing octets: ArraySlice<UInt8>) throws(ParseError) {
        if let start = Self.startOfObject(octets) {
            self = try HTTPURL(object: octets[start...])
            return
        }
        let bytes = try Self.checked(octets)
        guard !bytes.isEmpty else { throw .empty }
        guard let colon = Self.endOfScheme(bytes) else { throw Self.missingScheme(bytes) }
        let rest = bytes[(colon + 1)...]
        let name = bytes[..<colon].lowercasedASCIIText
        guard let scheme = Scheme(rawValue: name) else {
            if Self.looksLikeAuthority(name: name, rest: rest) { throw Self.missingScheme(bytes) }
            if let suggestion = Self.suggestion(for: name, rest) {
                throw .misspelledScheme(suggestion: suggestion)
            }
            throw .unsupportedScheme(Self.knownScheme(name))
        }
        guard rest.starts(with: [0x2F, 0x2F]) else { throw .missingHost }
        self = try HTTPURL(scheme: scheme, afterSlashes: rest.dropFirst(2)).withinLimit()
    }

    /// Where the name of an object begins; `nil` if it is a URL, or neither.
    private static func startOfObject(_ octets: ArraySlice<UInt8>) -> Int? {
        let bytes = octets.drop { $0 == 0x20 || $0 == 0x09 }
        guard let colon = endOfScheme(bytes), bytes[colon...].starts(with: "://".utf8),
            ObjectStore(rawValue: bytes[..<colon].lowercasedASCIIText) != nil
        else { return nil }
        return bytes.startIndex
    }

    /// Reads the name of an object. Its key may have any character, also a line break, and blanks at its end.
    private init(object bytes: ArraySlice<UInt8>) throws(ParseError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidName(.invalidKey) }
        do throws(ObjectName.ParseError) {
            self.init(try ObjectName(parsing: text))
        } catch {
            throw .invalidName(error)
        }
    }

    /// Resolves a reference against this URL (RFC 3986 §5.2, strictly), such as the value of `Location`.
    ///
    /// No server can lead to an object of a store, for which a request would be signed.
    ///
    /// The fragment of this URL is inherited if the reference has none (RFC 9110 §10.2.2), and its userinfo if the
    /// reference names no host.
    ///
    /// - Throws: ``ParseError`` when the reference has control characters, leaves HTTP, or names no valid host.
    public func resolving(_ reference: String) throws(ParseError) -> HTTPURL {
        let target = try resolved(Self.checked(Array(reference.utf8)[...])).withinLimit()
        guard target.scheme.store == nil else { throw .unsupportedScheme(target.scheme.rawValue) }
        return target
    }

    private func resolved(_ bytes: ArraySlice<UInt8>) throws(ParseError) -> HTTPURL {
        if let colon = Self.endOfScheme(bytes) {
            let name = bytes[..<colon].lowercasedASCIIText
            guard let scheme = Scheme(rawValue: name) else {
                throw .unsupportedScheme(Self.knownScheme(name))
            }
            let rest = bytes[(colon + 1)...]
            guard rest.starts(with: [0x2F, 0x2F]) else { throw .missingHost }
            return try HTTPURL(scheme: scheme, afterSlashes: rest.dropFirst(2)).inheritingFragment(of: self)
        }
        if bytes.starts(with: [0x2F, 0x2F]) {
            return try HTTPURL(scheme: scheme, afterSlashes: bytes.dropFirst(2)).inheritingFragment(of: self)
        }
        let parts = Parts(bytes)
        let path: String
        if parts.path.isEmpty {
            path = self.path
        } else if parts.path.first == 0x2F {
            path = Self.normalised(path: parts.path)
        } else {
            let base = Array(self.path.utf8)
            let folder = base[...(base.lastIndex(of: 0x2F) ?? 0)]
            path = Self.normalised(path: (folder + parts.path)[...])
        }
        return HTTPURL(
            scheme: scheme,
            authority: authority,
            path: path,
            query: parts.query ?? (parts.path.isEmpty ? query : nil),
            fragment: parts.fragment ?? fragment
        )
    }

    private init(scheme: Scheme, afterSlashes bytes: ArraySlice<UInt8>) throws(ParseError) {
        let end = bytes.firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? bytes.endIndex
        let authority = try Authority(parsing: bytes[..<end])
        let parts = Parts(bytes[end...])
        self.init(
            scheme: scheme,
            authority: authority,
            path: Self.normalised(path: parts.path),
            query: parts.query,
            fragment: parts.fragment
        )
    }

    /// Returns this URL, unless escapes or inherited parts made it too long: it could not be read back from the
    /// store.
    func withinLimit() throws(ParseError) -> HTTPURL {
        func count(_ part: String?) -> Int { part?.utf8.count ?? 0 }
        let length =
            count(path) + count(query) + count(fragment) + count(encodedUser) + count(encodedPassword)
            + count(host)
        // The text between the parts is shorter than 32 bytes, so that most URLs need not be written out.
        guard length <= Self.lengthLimit - 32 || absoluteString.utf8.count <= Self.lengthLimit else {
            throw .tooLong
        }
        return self
    }

    private func inheritingFragment(of base: HTTPURL) -> HTTPURL {
        fragment == nil && base.fragment != nil ? with(fragment: base.fragment) : self
    }

    /// Path, query and fragment of a reference.
    private struct Parts {
        var path: ArraySlice<UInt8>
        var query: String?
        var fragment: String?

        init(_ bytes: ArraySlice<UInt8>) {
            path = bytes
            if let hash = path.firstIndex(of: 0x23) {
                fragment = PercentEncoding.encoded(path[(hash + 1)...], allowing: HTTPURL.isAllowed)
                path = path[..<hash]
            }
            if let mark = path.firstIndex(of: 0x3F) {
                query = PercentEncoding.encoded(path[(mark + 1)...], allowing: HTTPURL.isAllowed)
                path = path[..<mark]
            }
        }
    }

    /// Octets that stay unescaped in path, query and fragment. RFC 3986 leaves out square brackets there, but clients
    /// send them bare in queries and servers expect that.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D: false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    /// Resolves dot segments (RFC 3986 §5.2.4) in one pass, and escapes what a path may not contain.
    private static func normalised(path: ArraySlice<UInt8>) -> String {
        if isNormal(path: path) { return path.text }
        var kept: [ArraySlice<UInt8>] = []
        let segments = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        for (place, segment) in segments.enumerated() {
            let isLast = place == segments.count - 1
            switch segment.count {
            case 1 where segment.first == 0x2E:
                if isLast { kept.append([]) }
            case 2 where segment.allSatisfy({ $0 == 0x2E }):
                if !kept.isEmpty { kept.removeLast() }
                if isLast { kept.append([]) }
            default:
                kept.append(segment)
            }
        }
        return "/" + PercentEncoding.encoded(Array(kept.joined(separator: [0x2F])), allowing: isAllowed)
    }

    /// Whether a path certainly needs no change: only one with a dot behind a slash can have dot segments.
    private static func isNormal(path: ArraySlice<UInt8>) -> Bool {
        guard path.first == 0x2F else { return false }
        var former: UInt8 = 0
        for byte in path {
            guard isAllowed(byte), byte != 0x2E || former != 0x2F else { return false }
            former = byte
        }
        return true
    }

    /// The octets of a URL or reference, without surrounding blanks.
    private static func checked(_ octets: ArraySlice<UInt8>) throws(ParseError) -> ArraySlice<UInt8> {
        guard octets.count <= lengthLimit else { throw .tooLong }
        let bytes = octets.trimmingBlanks
        guard !bytes.contains(where: \.isControl) else { throw .controlCharacter }
        return bytes
    }

    /// The index of the colon after a scheme (RFC 3986 §3.1); `nil` if there is no scheme.
    private static func endOfScheme(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.first?.isLetter == true, let end = bytes.firstIndex(where: { !isSchemeByte($0) }),
            bytes[end] == 0x3A
        else { return nil }
        return end
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == 0x2B || byte == 0x2D || byte == 0x2E
    }

    /// Whether `name:rest` looks more like a host and port, or a user and password, than like a URL of an unknown
    /// scheme. A user must not be quoted as a scheme: it may be a token.
    private static func looksLikeAuthority(name: String, rest: ArraySlice<UInt8>) -> Bool {
        guard !rest.starts(with: [0x2F, 0x2F]), name != "mailto" else { return false }
        return name == "localhost" || name.utf8.contains(0x2E) || rest.first?.isDigit == true
            || rest.prefix { $0 != 0x2F }.contains(0x40)
    }

    private static func missingScheme(_ bytes: ArraySlice<UInt8>) -> ParseError {
        var guess = bytes.drop { $0 == 0x2F }
        var scheme = Scheme.https
        // Text without its colon is not a host, and what follows it may begin with a password.
        for name in [Scheme.https, .http] where guess.starts(with: Array("\(name.rawValue)/".utf8)) {
            guess = guess.dropFirst(name.rawValue.utf8.count).drop { $0 == 0x2F }
            scheme = name
            break
        }
        let suggestion = try? HTTPURL(scheme: scheme, afterSlashes: guess)
        return .missingScheme(suggestion: suggestion?.redacted)
    }

    /// The URL that was probably meant by one with another scheme, redacted; `nil` if the scheme has other letters than `http` or
    /// `https`. Only an `h` may be missing, as when the beginning of a URL was not copied.
    private static func suggestion(for name: String, _ rest: ArraySlice<UInt8>) -> String? {
        let letters = Set(name).union("h")
        guard rest.starts(with: "//".utf8),
            let scheme = [Scheme.https, .http].first(where: { letters == Set($0.rawValue) })
        else { return nil }
        let suggestion = try? HTTPURL(scheme: scheme, afterSlashes: rest.dropFirst(2))
        return suggestion?.redacted
    }

    /// The name of a scheme that a message may quote; `nil` for any other text, which may be a secret.
    private static func knownScheme(_ name: String) -> String? { knownSchemes.contains(name) ? name : nil }

    /// Schemes of texts that people often try to download.
    private static let knownSchemes: Set<String> = [
        "about", "blob", "data", "ed2k", "file", "ftp", "ftps", "git", "gopher", "intent", "ipfs",
        "ipns",
        "javascript", "ldap", "magnet", "mailto", "news", "nfs", "rsync", "rtmp", "rtsp", "scp", "sftp",
        "smb", "ssh", "tel", "thunder", "urn", "view-source", "webdav", "webdavs", "ws", "wss",
    ]
}
