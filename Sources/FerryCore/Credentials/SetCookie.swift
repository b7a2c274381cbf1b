/// What one `Set-Cookie` field says (RFC 6265 §5.2).
struct SetCookie: Hashable, Sendable {
    /// The name; never empty.
    let name: String
    /// The value; a secret.
    let value: String
    /// The domain, in lowercase and without a dot at its beginning; `nil` if none is given.
    private(set) var domain: String?
    /// The path, if it begins with a slash.
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// What `Max-Age` says, in seconds; zero or negative for a cookie that has expired.
    private var age: Int64?
    /// What `Expires` says.
    private var date: Instant?

    /// Maximum length of name and value together, in bytes.
    static let longest = 4096
    /// Maximum length of the value of an attribute, in bytes. A longer one is ignored.
    static let longestAttribute = 1024

    /// Reads the value of a field.
    ///
    /// - Returns: `nil` if it has no name, is too long, or has a control character.
    init?(_ text: String) {
        let parts = Array(text.utf8).split(separator: 0x3B, omittingEmptySubsequences: false)
        guard let (name, value) = Self.pair(parts[0]), !name.isEmpty,
            name.count + value.count <= Self.longest
        else { return nil }
        (self.name, self.value) = (name.text, value.text)
        for part in parts.dropFirst() {
            let (attribute, value) = Self.pair(part) ?? (part.trimmingBlanks, part[part.endIndex...])
            guard value.count <= Self.longestAttribute else { continue }
            take(attribute.lowercasedASCIIText, value)
        }
        // A tab counts as a control character too: it would end a field in a file of cookies.
        let kept = [name, value, ArraySlice((domain ?? "").utf8), ArraySlice((path ?? "").utf8)]
        guard kept.allSatisfy({ !$0.contains(where: \.isControl) }) else { return nil }
    }

    /// The parts before and after the first `=`, without blanks around them.
    private static func pair(_ part: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ArraySlice<UInt8>)? {
        guard let equals = part.firstIndex(of: 0x3D) else { return nil }
        return (part[..<equals].trimmingBlanks, part[(equals + 1)...].trimmingBlanks)
    }

    private mutating func take(_ attribute: String, _ value: ArraySlice<UInt8>) {
        switch attribute {
        case "expires": date = CookieDate.instant(parsing: value.text) ?? date
        case "max-age": age = Self.seconds(value) ?? age
        case "domain":
            let name = value.first == 0x2E ? value.dropFirst() : value
            if !name.isEmpty { domain = name.lowercasedASCIIText }
        case "path": path = value.first == 0x2F ? value.text : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        default: break
        }
    }

    private static func seconds(_ value: ArraySlice<UInt8>) -> Int64? {
        let isNegative = value.first == 0x2D
        guard let number = DecimalNumber(isNegative ? value.dropFirst() : value) else { return nil }
        return isNegative ? 0 : number.saturated
    }

    /// When the cookie expires, in whole seconds; `nil` at the end of the session. `Max-Age` takes precedence over `Expires`.
    func expiry(receivedAt now: Instant) -> Instant? {
        guard let age else { return date }
        guard age > 0 else { return .epoch }
        return Instant(seconds: (now.milliseconds / 1000).addingSaturated(age))
    }
}
