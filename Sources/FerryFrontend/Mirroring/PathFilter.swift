import Ferry

/// Which files of a source are mirrored, by their paths below it.
///
/// A pattern with a `/` in it, except at its end, is compared with the whole path of a file and with the paths of the
/// directories above it. Any other is compared with their names alone. `*` is any text, also with a `/`, `?` is any
/// character, and `[a-z]` is one of these.
package struct PathFilter: Hashable, Sendable {
    private struct Pattern: Hashable {
        let text: String
        /// `nil` for a text without wildcards.
        let keys: KeyPattern?
        let isForPaths: Bool

        init(_ word: String, _ option: String) throws(CommandFailure) {
            var text = Substring(word)
            while text.utf8.last == UInt8(ascii: "/") { text = text.dropLast() }
            isForPaths = text.utf8.contains(UInt8(ascii: "/"))
            while text.utf8.first == UInt8(ascii: "/") { text = text.dropFirst() }
            guard !text.isEmpty else {
                throw .usage("\(option): \(QuotedWord(word)) is not a file name pattern, such as '*.iso'.")
            }
            self.text = String(text)
            keys = KeyPattern(self.text)
        }

        func matches(_ text: Substring) -> Bool {
            keys.map { $0.matches(String(text)) } ?? self.text.utf8.elementsEqual(text.utf8)
        }
    }

    private let included: [Pattern]
    private let excluded: [Pattern]

    /// Reads patterns.
    ///
    /// - Throws: ``CommandFailure`` for a pattern that matches nothing.
    package init(including: [String] = [], excluding: [String] = []) throws(CommandFailure) {
        included = try including.map { word throws(CommandFailure) in try Pattern(word, "--include") }
        excluded = try excluding.map { word throws(CommandFailure) in try Pattern(word, "--exclude") }
    }

    /// Whether a file is mirrored: no pattern excludes it, and one includes it if there are any that do.
    package func takes(_ path: String) -> Bool {
        enters(path) && (included.isEmpty || Self.any(of: included, match: path))
    }

    /// Whether a directory may have files that are mirrored: no pattern excludes it.
    package func enters(_ path: String) -> Bool { !Self.any(of: excluded, match: path) }

    private static func any(of patterns: [Pattern], match path: String) -> Bool {
        guard !patterns.isEmpty else { return false }
        var start = path.startIndex
        while true {
            let end = path[start...].utf8.firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            let (name, whole) = (path[start..<end], path[..<end])
            if patterns.contains(where: { $0.matches($0.isForPaths ? whole : name) }) { return true }
            guard end < path.endIndex else { return false }
            start = path.utf8.index(after: end)
        }
    }

    /// The patterns in one line. Two filters with the same text are the same.
    package var text: String {
        (included.map { "+\($0.isForPaths ? "/" : "")\($0.text)" }
            + excluded.map { "-\($0.isForPaths ? "/" : "")\($0.text)" })
            .joined(separator: "\n")
    }
}
