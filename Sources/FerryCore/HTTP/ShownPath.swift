/// The path of a URL as a message may show it (I7).
///
/// A path is shown, as it tells which file is meant, but for what has the form of a secret: `NUMBER:TOKEN`, as in the URLs
/// of bots, the segment after a name such as `token`, and the parameters of a segment (RFC 3986 §3.3).
enum ShownPath {
    /// What may be shown of a path.
    static func text(_ path: String) -> String {
        let segments = Array(path.utf8).split(separator: 0x2F, omittingEmptySubsequences: false)
        var shown: [String] = []
        var followsName = false
        for (index, segment) in segments.enumerated() {
            let parts = segment.split(separator: 0x3B, omittingEmptySubsequences: false)
            let name = parts.first ?? []
            let isLast = index == segments.count - 1
            let text = followsName && !isHarmless(name, isLast: isLast) ? mask : withoutToken(name)
            shown.append(([text] + parts.dropFirst().map(ShownParameter.text)).joined(separator: ";"))
            followsName = secretNames.contains(PercentEncoding.decoded(name).lowercasedASCIIText)
        }
        return shown.joined(separator: "/")
    }

    private static let mask = "…"
    /// A token has as many characters at least.
    private static let shortestToken = 16

    /// Names after which a segment is taken for a secret.
    private static let secretNames: Set<String> = [
        "access-key", "access-token", "access_key", "access_token", "accesskey", "accesstoken", "api-key",
        "api_key",
        "apikey", "auth-token", "auth_token", "authtoken", "key", "passkey", "secret", "token",
    ]

    /// A segment without the token in it, if it is one like `bot123:TOKEN`.
    private static func withoutToken(_ segment: ArraySlice<UInt8>) -> String {
        let whole = Array(segment).text
        guard segment.contains(where: { $0 == 0x3A || $0 == 0x25 }) else { return whole }
        let decoded = PercentEncoding.decoded(segment)
        guard let colon = decoded.firstIndex(of: 0x3A) else { return whole }
        let (name, token) = (decoded[..<colon], decoded[(colon + 1)...])
        // `sha256:…`, a digest, has letters in front as well.
        let isBot = Array(name.prefix(3)).lowercasedASCIIText == "bot"
        let number = isBot ? name.dropFirst(3) : name
        guard !number.isEmpty, number.allSatisfy(\.isDigit) else { return whole }
        let isToken = token.count >= shortestToken && token.allSatisfy(isOfToken)
        guard isToken || token.elementsEqual(mask.utf8) else { return whole }
        return Array(decoded[...colon]).text + mask
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-_.~+=".utf8.contains(byte)
    }

    /// Whether a segment after such a name is none of its secrets: nothing, or the name of a file, such as `notes.txt`.
    private static func isHarmless(_ segment: ArraySlice<UInt8>, isLast: Bool) -> Bool {
        if segment.isEmpty { return true }
        guard isLast, segment.count <= 40, let dot = segment.lastIndex(of: 0x2E) else { return false }
        let (stem, suffix) = (segment[..<dot], segment[(dot + 1)...])
        return !stem.isEmpty && stem.allSatisfy { $0.isLetter || $0 == 0x2D || $0 == 0x5F }
            && (1...5).contains(suffix.count) && suffix.allSatisfy { $0.isLetter || $0.isDigit }
    }
}
