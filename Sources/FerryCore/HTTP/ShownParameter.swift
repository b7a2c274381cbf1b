/// A parameter of a query, or of a path segment, as a message may show it (I7).
///
/// Secrets have too many names to list, so the list is of harmless names. A value is shown if its name is harmless,
/// or if it is too short a number to be a secret. Text that does not look like `name=value` is masked as a whole.
enum ShownParameter {
    /// Returns what may be shown of a parameter.
    static func text(_ parameter: ArraySlice<UInt8>) -> String {
        guard !parameter.isEmpty else { return "" }
        let raw = parameter.prefix { $0 != 0x3D }
        let name = PercentEncoding.decoded(raw).map(\.lowercasedASCII)
        let isHarmless = harmlessNames.contains(name.text)
        guard let equals = parameter.firstIndex(of: 0x3D) else {
            return isHarmless ? Array(parameter).text : mask
        }
        let value = parameter[(equals + 1)...]
        // Base64 ends with such signs: what precedes them may be the secret.
        guard isHarmless || (isName(name) && value.contains { $0 != 0x3D }) else { return mask }
        let isShown = isHarmless ? isHarmlessValue(value) : isShortNumber(value) && !mayBeShortSecret(name)
        return Array(raw).text + "=" + (isShown ? Array(value).text : mask)
    }

    private static let mask = "…"

    /// Whether the text before a `=` is a name, rather than a secret itself.
    private static func isName(_ bytes: [UInt8]) -> Bool {
        guard (1...40).contains(bytes.count), bytes.count(where: \.isDigit) <= 6 else { return false }
        return bytes.allSatisfy { $0.isLetter || $0.isDigit || "-_.[]$".utf8.contains($0) }
    }

    private static func isHarmlessValue(_ value: ArraySlice<UInt8>) -> Bool {
        value.count <= 12 && value.allSatisfy { $0.isLetter || $0.isDigit || "-_.".utf8.contains($0) }
    }

    private static func isShortNumber(_ value: ArraySlice<UInt8>) -> Bool {
        (1...3).contains(value.count) && value.allSatisfy(\.isDigit)
    }

    /// Whether a parameter of this name may be a secret although it is a short number.
    private static func mayBeShortSecret(_ name: [UInt8]) -> Bool {
        HTTPURL.namesSecret(name) || shortSecrets.contains { name.contains(octets: $0) }
    }

    private static let shortSecrets = ["auth", "code", "cvv", "key", "otp", "pass", "pin", "pw", "tok"]
        .map { Array($0.utf8) }

    /// Lowercase names whose short values are not secret.
    private static let harmlessNames: Set<String> = [
        "alt", "arch", "architecture", "build", "channel", "charset", "compression", "dir", "dl", "download",
        "edition", "encoding", "ext", "format", "height", "hl", "lang", "language", "limit", "locale",
        "offset",
        "order", "os", "page", "part", "per_page", "platform", "quality", "raw", "release", "size", "sort",
        "start", "type", "v", "ver", "version", "width",
    ]
}
