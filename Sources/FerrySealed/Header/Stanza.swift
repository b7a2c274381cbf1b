/// One recipient in a header: the file key, wrapped so that only the recipient can unwrap it (age, "Recipient stanza").
struct Stanza: Hashable, Sendable {
    /// The kind of recipient.
    var kind: String
    /// What follows the kind.
    var arguments: [String]
    /// The wrapped key, for the kinds of this module.
    var body: [UInt8]

    static let mark = Array("-> ".utf8)
    /// The characters of a whole line of a body.
    static let columns = 64

    /// The stanza as it stands in a header. The last line of its body is shorter than the others, and may be empty.
    var encoded: [UInt8] {
        let words = ([kind] + arguments).joined(separator: " ")
        var text = Self.mark + Array(words.utf8) + [0x0A]
        var rest = UnpaddedBase64.encoded(body)[...]
        while rest.count >= Self.columns {
            text += rest.prefix(Self.columns) + [0x0A]
            rest = rest.dropFirst(Self.columns)
        }
        return text + rest + [0x0A]
    }
}
