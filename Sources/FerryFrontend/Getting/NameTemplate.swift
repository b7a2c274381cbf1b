import Ferry

/// A pattern for the names of several downloads, as `-o` takes it: `{n:03}-{name}`.
///
/// | field | stands for |
/// |---|---|
/// | `{n}`, `{n:03}` | the number of the download, from 1; with zeros up to that many digits |
/// | `{name}` | the name in the URL |
/// | `{stem}`, `{ext}` | that name before its last dot, and what follows the dot |
/// | `{host}` | the host in the URL |
///
/// Any other text, also in braces, stands for itself. A field is never empty and is one part of a path, so no URL decides in which
/// directory a file is saved: what is missing is `_`.
struct NameTemplate: Hashable, Sendable {
    private enum Piece: Hashable {
        case text(String)
        case number(digits: Int)
        case name, stem, fileExtension, host
    }

    private let pieces: [Piece]

    /// Reads a text; `nil` if it has no field.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = text[...]
        var literal = ""
        while let brace = rest.firstIndex(of: "{") {
            literal += rest[..<brace]
            rest = rest[brace...]
            guard let end = rest.firstIndex(of: "}"),
                let piece = Self.piece(rest[rest.index(after: brace)..<end])
            else {
                literal.append(rest.removeFirst())
                continue
            }
            pieces += literal.isEmpty ? [piece] : [.text(literal), piece]
            literal = ""
            rest = rest[rest.index(after: end)...]
        }
        guard !pieces.isEmpty else { return nil }
        literal += rest
        self.pieces = literal.isEmpty ? pieces : pieces + [.text(literal)]
    }

    private static func piece(_ field: Substring) -> Piece? {
        switch field {
        case "n": return .number(digits: 1)
        case "name": return .name
        case "stem": return .stem
        case "ext": return .fileExtension
        case "host": return .host
        default:
            guard field.hasPrefix("n:"), let digits = Int(field.dropFirst(2)), (1...18).contains(digits)
            else {
                return nil
            }
            return .number(digits: digits)
        }
    }

    /// The path for the download of a URL.
    ///
    /// - Parameter number: its number among all downloads of the command, from 1.
    func path(for url: HTTPURL, number: Int) -> String {
        let name = FileName.fromURL(url).rawValue
        let dot = name.lastIndex(of: ".")
        return pieces.map { piece in
            switch piece {
            case .text(let text): return text
            case .number(let digits):
                let text = "\(number)"
                return String(repeating: "0", count: max(0, digits - text.count)) + text
            case .name: return name
            case .stem: return Self.part(dot.map { name[..<$0] } ?? name[...])
            case .fileExtension: return Self.part(dot.map { name[name.index(after: $0)...] } ?? "")
            case .host: return Self.part(url.host[...])
            }
        }
        .joined()
    }

    /// A text as one part of a path.
    private static func part(_ text: Substring) -> String {
        FileName.sanitized(String(text))?.rawValue ?? "_"
    }
}
