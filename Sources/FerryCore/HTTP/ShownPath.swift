/// The path of a URL as a message may show it (I7).
///
/// A path is shown, as it identifies the file, except for what looks like a secret. Masked are: `NUMBER:TOKEN`, as in
/// the URLs of bots; a JSON Web Token; the user and password of a URL within the path; what follows a name such as
/// `token`, in the next segment or as in `token=…`; and the parameters of a segment (RFC 3986 §3.3). Separators count
/// whether or not they are percent-encoded.
///
/// After such a name, a file at the end of the path stays readable, such as `auth/debian-12.5.0-amd64.iso` or
/// `sessions/2024.pdf`: words and numbers with an extension that files usually have. A name with a long word, with many
/// digits, or with letters and digits in turn is masked all the same. A few words that sites use after `auth` or
/// `session`, such as `login`, also stay readable. Any other word may be a password.
struct ShownPath {
    /// Returns what may be shown of a path.
    static func text(_ path: String) -> String {
        isPlain(path) ? path : masked(path)
    }

    /// Whether nothing in a path looks like a secret. Most paths are recognised by their bytes alone; `false` may also mean
    /// that ``masked(_:)`` has to decide.
    static func isPlain(_ path: String) -> Bool {
        path.utf8.split(separator: 0x2F).allSatisfy { segment in
            guard segment.allSatisfy({ $0.isLetter || $0.isDigit || "-_.~".utf8.contains($0) }),
                !segment.starts(with: "eyJ".utf8)
            else { return false }
            // A name of a secret has no digits and no dots.
            let isName = segment.allSatisfy { $0.isLetter || $0 == 0x2D || $0 == 0x5F }
            return !isName || !namesSecret(Array(segment)[...])
        }
    }

    /// The path, piece by piece, with a mask for each secret.
    static func masked(_ path: String) -> String {
        var shown = ShownPath()
        let pieces = PathPiece.all(of: Array(path.utf8))
        for (index, piece) in pieces.enumerated() {
            shown.text += shown.shown(piece, isLast: index == pieces.count - 1) + Array(piece.ending).text
        }
        return shown.text
    }

    private var text = ""
    private var place = Place.segment
    /// Whether the next segment follows the name of a secret.
    private var followsName = false
    /// Whether the next segment may be the authority of a URL within the path.
    private var followsScheme = false

    /// What a piece belongs to.
    private enum Place {
        case segment, parameters, query
    }

    private mutating func shown(_ piece: PathPiece, isLast: Bool) -> String {
        switch piece.separator {
        case nil, 0x2F, 0x5C: return segment(piece, isLast: isLast)
        case 0x3B: place = .parameters
        // The sign may be part of a file name.
        case 0x3F where piece.parted(at: Self.assigning) != nil: place = .query
        default: followsName = followsName && place != .segment
        }
        // A piece that is already masked stays masked.
        if Self.isMask(piece.text) { return Self.mask }
        guard place == .segment else { return ShownParameter.text(piece.text) }
        return Self.withoutValue(piece) ?? Self.withoutToken(piece.text)
    }

    private mutating func segment(_ piece: PathPiece, isLast: Bool) -> String {
        place = .segment
        // Some servers merge two slashes into one.
        if piece.text.isEmpty { return "" }
        let isAuthority = followsScheme
        followsScheme = Self.isScheme(piece)
        let isSecret = followsName && !Self.isHarmless(piece.text, isLast: isLast)
        followsName = Self.isName(piece)
        // A segment that is already masked stays masked.
        if isSecret || Self.isMask(piece.text) { return Self.mask }
        return Self.withoutUser(piece, isAuthority: isAuthority) ?? Self.withoutValue(piece)
            ?? Self.withoutToken(piece.text)
    }

    private static let mask = "…"
    /// The minimum length of a token.
    private static let shortestToken = 16
    /// The minimum length of a mixture of letters and digits that may be a token although it is in the name of a file.
    private static let shortestMixture = 10
    /// The maximum length of a number in the name of a file, such as a date.
    private static let longestNumber = 8
    /// Maximum changes between letters and digits, and from small letters to capitals, in a word of a file's name. A token
    /// has more.
    private static let mostChanges = 3
    private static let assigning = Set("=:".utf8)

    // MARK: Names

    /// Names that are followed by a secret, without hyphens and underscores.
    private static let secretNames: Set<String> = [
        "accesskey", "accesstoken", "apikey", "apitoken", "auth", "authkey", "authorization", "authtoken",
        "bearer", "clientsecret", "credential", "downloadtoken", "hmac", "idtoken", "jwt", "key", "pass",
        "passkey", "passphrase", "passwd", "password", "privatekey", "privatetoken", "pw", "pwd",
        "refreshtoken",
        "sas", "secret", "secretkey", "session", "sessionid", "sessiontoken", "sid", "sig", "sign",
        "signature", "token", "torrentpass",
    ]

    /// Words that name a place of a site and are not secret.
    private static let harmlessWords: Set<String> = [
        "callback", "download", "downloads", "files", "index", "latest", "login", "logout", "oauth", "oauth2",
        "public", "signin", "signout", "signup", "static",
    ]

    private static func namesSecret(_ text: ArraySlice<UInt8>) -> Bool {
        let name = PercentEncoding.decoded(text).filter { $0 != 0x2D && $0 != 0x5F }.lowercasedASCIIText
        return secretNames.contains(name)
            || (name.last == "s" && secretNames.contains(String(name.dropLast())))
    }

    /// Whether a segment is only a name: `token`, or `token=`.
    private static func isName(_ piece: PathPiece) -> Bool {
        guard let (name, _, value) = piece.parted(at: assigning) else { return namesSecret(piece.text) }
        return value.isEmpty && namesSecret(name)
    }

    private static func isMask(_ text: ArraySlice<UInt8>) -> Bool {
        PercentEncoding.decoded(text).elementsEqual(mask.utf8)
    }

    /// Whether a segment is like `https:`.
    private static func isScheme(_ piece: PathPiece) -> Bool {
        guard let (name, _, rest) = piece.parted(at: [0x3A]), rest.isEmpty else { return false }
        return name.count > 1 && name.first?.isLetter == true
    }

    // MARK: Masking

    /// The piece without the value of a secret, if it is like `token=VALUE`.
    private static func withoutValue(_ piece: PathPiece) -> String? {
        guard let (name, sign, value) = piece.parted(at: assigning), !value.isEmpty, namesSecret(name) else {
            return nil
        }
        return Array(name).text + Array(sign).text + mask
    }

    /// A segment without user and password, if it is the authority of a URL, or looks like one that has both.
    private static func withoutUser(_ piece: PathPiece, isAuthority: Bool) -> String? {
        guard let (user, sign, host) = piece.parted(at: [0x40], last: true), !user.isEmpty else { return nil }
        let hasPassword = PathPiece(text: user, separator: nil, ending: []).parted(at: [0x3A]) != nil
        return isAuthority || hasPassword || isMask(user) ? mask + Array(sign).text + Array(host).text : nil
    }

    /// A segment without its token, if it is like `bot123:TOKEN`.
    private static func withoutToken(_ segment: ArraySlice<UInt8>) -> String {
        let whole = Array(segment).text
        if isWebToken(segment) { return mask }
        guard segment.contains(where: { $0 == 0x3A || $0 == 0x25 }) else { return whole }
        let decoded = PercentEncoding.decoded(segment)
        guard let colon = decoded.firstIndex(of: 0x3A) else { return whole }
        let (name, token) = (decoded[..<colon], decoded[(colon + 1)...])
        // A digest, such as `sha256:…`, also has letters before the colon.
        let isBot = Array(name.prefix(3)).lowercasedASCIIText == "bot"
        let number = isBot ? name.dropFirst(3) : name
        guard !number.isEmpty, number.allSatisfy(\.isDigit) else { return whole }
        let isToken = token.count >= shortestToken && token.allSatisfy(isOfToken)
        guard isToken || token.elementsEqual(mask.utf8) else { return whole }
        return Array(decoded[...colon]).text + mask
    }

    /// Whether a segment is a JSON Web Token: parts in base64url, the first of which is an object (RFC 7515 §3.1, RFC
    /// 7516 §3.1).
    private static func isWebToken(_ segment: ArraySlice<UInt8>) -> Bool {
        let parts = segment.split(separator: 0x2E, omittingEmptySubsequences: false)
        return segment.starts(with: "eyJ".utf8) && segment.count >= shortestToken
            && (2...5).contains(parts.count)
            && parts.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2D || $0 == 0x5F } }
    }

    private static func isOfToken(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-_.~+=".utf8.contains(byte)
    }

    /// Whether a segment after such a name is not a secret.
    private static func isHarmless(_ segment: ArraySlice<UInt8>, isLast: Bool) -> Bool {
        if harmlessWords.contains(Array(segment).lowercasedASCIIText) { return true }
        guard isLast, let dot = segment.lastIndex(of: 0x2E) else { return false }
        return usualExtensions.contains(segment[(dot + 1)...].lowercasedASCIIText)
            && isOfFile(PercentEncoding.decoded(segment[..<dot]))
    }

    /// Whether a text is like the name of a file: words, numbers such as a date, and mixtures of both such as `amd64`. Each
    /// kind is too short to be a secret.
    private static func isOfFile(_ stem: [UInt8]) -> Bool {
        let words = stem.split { !$0.isLetter && !$0.isDigit }
        guard !words.isEmpty, stem.allSatisfy({ $0.isLetter || $0.isDigit || " -_.+~()".utf8.contains($0) })
        else { return false }
        let numbers = words.filter { $0.allSatisfy(\.isDigit) }.map(\.count)
        let mixtures = words.filter { $0.contains(where: \.isDigit) && $0.contains(where: \.isLetter) }
            .map(\.count)
        return words.allSatisfy { $0.count < shortestToken && changes(in: $0) <= mostChanges }
            && numbers.allSatisfy { $0 <= longestNumber } && numbers.reduce(0, +) < shortestToken
            && mixtures.allSatisfy { $0 < shortestMixture } && mixtures.reduce(0, +) < shortestToken
    }

    /// Number of places where a letter follows a digit or a digit a letter, or a capital follows a small letter.
    private static func changes(in word: ArraySlice<UInt8>) -> Int {
        zip(word, word.dropFirst()).count { former, next in
            let isCapital = next.isLetter && next & 0x20 == 0
            return former.isDigit != next.isDigit || isCapital && former & 0x20 != 0
        }
    }

    /// Extensions of files that people download.
    private static let usualExtensions: Set<String> = [
        "7z", "apk", "appimage", "asc", "bin", "bz2", "conf", "crt", "css", "csv", "dat", "deb", "dmg",
        "doc", "docx", "epub", "exe", "flac", "gif", "gpg", "gz", "htm", "html", "img", "ini", "iso",
        "jar", "jpeg", "jpg", "js", "json", "log", "m4a", "md", "mkv", "mov", "mp3", "mp4", "msi",
        "odt", "ogg", "pdf", "pem", "php", "pkg", "png", "pptx", "pub", "py", "qcow2", "rpm", "rtf",
        "sh", "sha256", "sig", "sql", "svg", "tar", "tgz", "tif", "tiff", "torrent", "txt", "vmdk",
        "wav", "webm", "webp", "whl", "xls", "xlsx", "xml", "xz", "yaml", "yml", "zip", "zst",
    ]
}
