/// Makes text of any origin safe for a terminal.
package enum TerminalText {
    /// Replaces with � all characters that a terminal acts on rather than shows: control characters (escape sequences
    /// begin with one), and characters that reverse the text direction.
    package static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isUnsafe(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    /// The same for multi-line text made by Ferry itself: line breaks stay.
    package static func safeLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { safe(String($0)) }.joined(separator: "\n")
    }

    /// A sentence for use after a colon: without its full stop, and with a small first letter unless it begins with a
    /// word in capitals.
    package static func clause(_ sentence: String) -> String {
        var text = Substring(sentence)
        if text.hasSuffix("."), !text.hasSuffix("..") { text = text.dropLast() }
        guard let first = text.first, let second = text.dropFirst().first, second.isLowercase || second == " "
        else {
            return safe(String(text))
        }
        return safe(first.lowercased() + text.dropFirst())
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        case 0xE0001...0xE007F: true
        default: false
        }
    }

    /// The text in at most `width` columns: `…` replaces its middle, so that the beginning of a name and its
    /// extension stay readable.
    package static func truncatedInMiddle(_ text: String, to width: Int) -> String {
        guard DisplayWidth.of(text) > width else { return text }
        guard width > 1 else { return width == 1 ? "…" : "" }
        let room = width - 1
        let tail = suffix(of: text, columns: room / 2)
        let head = prefix(of: text, columns: room - DisplayWidth.of(tail))
        return head + "…" + tail
    }

    /// A path in at most `width` columns: its directories are shortened before its name is.
    package static func truncatedPath(_ path: String, to width: Int) -> String {
        guard DisplayWidth.of(path) > width, let slash = path.lastIndex(of: "/") else {
            return truncatedInMiddle(path, to: width)
        }
        let name = String(path[slash...])
        let room = width - DisplayWidth.of(name)
        guard room > 0 else { return truncatedInMiddle(String(name.dropFirst()), to: width) }
        return truncatedInMiddle(String(path[..<slash]), to: room) + name
    }

    /// The text in at most `width` columns: `…` replaces its end.
    package static func truncatedAtEnd(_ text: String, to width: Int) -> String {
        guard DisplayWidth.of(text) > width else { return text }
        guard width > 0 else { return "" }
        return prefix(of: text, columns: width - 1) + "…"
    }

    /// The text in lines of at most `width` columns, broken at blanks. What stands in backticks stays on one line if it fits.
    ///
    /// - Parameters:
    ///   - indent: the number of blanks that later lines begin with.
    ///   - names: names and paths that are not broken at their blanks.
    package static func wrapped(
        _ text: String,
        to width: Int,
        indent: Int,
        keeping names: [String] = []
    ) -> String {
        guard DisplayWidth.of(text) > width, width > indent else { return text }
        var lines: [String] = []
        let margin = String(repeating: " ", count: indent)
        var words = words(of: String(text.drop { $0 == " " }), keeping: names)[...]
        var line = String(text.prefix { $0 == " " }) + (words.popFirst() ?? "")
        for word in words {
            if DisplayWidth.of(line) + 1 + DisplayWidth.of(word) <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = margin + word
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// The words between blanks; several in backticks or in a name are one.
    private static func words(of text: String, keeping names: [String]) -> [String] {
        let kept = names.filter { $0.contains(" ") }.flatMap { text.ranges(of: $0) }
        var words: [String] = []
        var isOpen = false
        for part in text.split(separator: " ", omittingEmptySubsequences: false) {
            let start = part.startIndex
            let isInside = kept.contains { $0.lowerBound < start && start < $0.upperBound }
            if isOpen || isInside, let last = words.popLast() {
                words.append(last + " " + part)
            } else {
                words.append(String(part))
            }
            if part.count(where: { $0 == "`" }) % 2 == 1 { isOpen.toggle() }
        }
        return words
    }

    /// The text, padded with spaces on the right to `width` columns.
    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    }

    /// A line of a portrait: a label, and beside it a text of any origin.
    ///
    /// - Parameters:
    ///   - columns: those of a terminal, in which the text continues below itself; `nil` for one line.
    ///   - names: names and paths that are not broken at their blanks.
    package static func labelled(
        _ label: String,
        _ text: String,
        columns: Int? = nil,
        keeping names: [String] = []
    ) -> String {
        let (head, text) = ("  " + padded(label, to: 14), safe(text))
        guard let columns else { return head + text }
        let margin = DisplayWidth.of(head)
        let lines = wrapped(text, to: columns - 1 - margin, indent: 0, keeping: names).split(separator: "\n")
        return head + lines.joined(separator: "\n" + String(repeating: " ", count: margin))
    }

    /// The text, padded with spaces on the left to `width` columns.
    package static func rightAligned(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - DisplayWidth.of(text))) + text
    }

    private static func prefix(of text: String, columns: Int) -> String {
        var used = 0
        return String(
            text.prefix {
                used += DisplayWidth.of($0)
                return used <= columns
            }
        )
    }

    private static func suffix(of text: String, columns: Int) -> String {
        var used = 0
        var start = text.endIndex
        while start > text.startIndex {
            let before = text.index(before: start)
            used += DisplayWidth.of(text[before])
            if used > columns { break }
            start = before
        }
        return String(text[start...])
    }
}
