/// A file of profiles: sections in brackets, with a setting on each line. `~/.aws/config`, `~/.aws/credentials` and
/// `~/.ossutilconfig` have this form.
///
/// Settings have lowercase names. Indented lines below a setting without a value are settings within it: `s3` with
/// `addressing_style` below it is `s3.addressing_style`.
struct ProfileFile: Hashable, Sendable {
    private var sections: [String: [String: String]] = [:]

    /// A file without sections.
    init() {}

    /// Reads a file. Lines that begin with `#` or `;` are comments.
    init(parsing text: String) throws(ParseError) {
        var section: String?
        var setting: String?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let content = Self.trimmed(line)
            guard let first = content.first, first != "#", first != ";" else { continue }
            if first == "[" {
                guard let name = Self.sectionName(content) else { throw ParseError(line: index + 1) }
                (section, setting) = (name, nil)
                sections[name, default: [:]] = sections[name, default: [:]]
                continue
            }
            guard let section else { throw ParseError(line: index + 1) }
            let isIndented = line.first == " " || line.first == "\t"
            guard let (name, value) = Self.setting(content) else {
                // Text that continues the value above belongs to a setting that is not used here.
                guard isIndented, setting != nil else { throw ParseError(line: index + 1) }
                continue
            }
            if isIndented, let setting {
                if sections[section]?[setting]?.isEmpty == true {
                    sections[section]?["\(setting).\(name)"] = value
                }
            } else {
                sections[section]?[name] = value
                setting = name
            }
        }
    }

    /// The settings of a section; `nil` if there is no such section. Empty values are left out.
    subscript(section: String) -> [String: String]? { sections[section]?.filter { !$0.value.isEmpty } }

    /// The names of all sections, sorted.
    var sectionNames: [String] { sections.keys.sorted() }

    /// The line that is neither a section, nor a setting, nor a comment. It is not quoted, as it may be a secret.
    struct ParseError: Error, Hashable {
        var line: Int
    }

    /// The name between the brackets, with one space between words and without quotation marks.
    private static func sectionName(_ content: Substring) -> String? {
        guard let end = content.lastIndex(of: "]") else { return nil }
        let words = content[..<end].dropFirst().split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let name = words.filter { $0 != "\"" && $0 != "'" }
        return name.isEmpty ? nil : name
    }

    private static func setting(_ content: Substring) -> (name: String, value: String)? {
        guard let sign = content.firstIndex(where: { $0 == "=" || $0 == ":" }) else { return nil }
        let name = trimmed(content[..<sign]).lowercased()
        return name.isEmpty ? nil : (name, String(trimmed(content[content.index(after: sign)...])))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
