import FerryCore

extension InputProperty {
    /// A `Content-Disposition` yields a token as its type, and a name that round-trips through `filename*`. A
    /// file named after it is safe (RFC 6266).
    package static let contentDisposition = InputProperty("content-disposition") { input in
        guard let disposition = ContentDisposition(bytes: input.bytes) else { return }
        try require(isToken(disposition.type), "the type is a token in small letters")
        guard let filename = disposition.filename else { return }
        try require(!filename.isEmpty, "a name is not empty")
        let written = "\(disposition.type); filename*=UTF-8''\(escaped(filename)); filename=other"
        let again = ContentDisposition(written)
        try require(again?.filename.map { isSame($0, filename) } == true, "a name comes back from filename*")
        let quoted = "\(disposition.type); filename=\"\(quotedPairs(filename))\""
        try require(
            ContentDisposition(quoted)?.filename.map { isSame($0, filename) } == true,
            "a name comes back from quotes"
        )
        if let name = FileName.sanitized(filename) { try requireSafe(name) }
    }

    /// A `Content-Type` yields two lower-case tokens, whatever parameters follow (RFC 9110 §8.3.1).
    package static let mediaType = InputProperty("media-type") { input in
        let text = input.text
        guard let type = MediaType(text) else { return }
        try require(isToken(type.type) && isToken(type.subtype), "both halves are tokens in small letters")
        try require(MediaType(type.description) == type, "what is written is read as the same")
        try require(MediaType(text + ";a=/") == type, "parameters say nothing")
    }

    /// Whether a text is a token of RFC 9110 §5.6.2 without capital letters.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { tokenBytes.contains($0) }
    }

    private static let tokenBytes = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// Percent-encodes every octet.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Writes quotes and backslashes as quoted pairs (RFC 9110 §5.6.4).
    private static func quotedPairs(_ text: String) -> String {
        let bytes = text.utf8.flatMap { $0 == 0x22 || $0 == 0x5C ? [0x5C, $0] : [$0] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether two texts are equal octet for octet.
    static func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
