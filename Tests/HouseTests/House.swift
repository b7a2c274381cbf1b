import Foundation

/// The sources of this package, as text.
enum House {
    static let root: String = {
        var path = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        path.removeLast(3)
        return path.joined(separator: "/")
    }()

    static let sources = files(below: "Sources", ending: [".swift"])
    static let tests = files(below: "Tests", ending: [".swift"])
    static let examples =
        files(below: "Examples/Sources", ending: [".swift"])
        + files(below: "Examples/PhotoJournal/Sources", ending: [".swift"])
        + files(below: "Examples/Conversations/Sources", ending: [".swift"])
        + files(below: "Examples/DownloadServer/Sources", ending: [".swift"])
    static let documents =
        files(below: "docs", ending: [".md"]) + files(below: "Sources", ending: [".md"])
        + [
            "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Examples/README.md",
            "Examples/PhotoJournal/README.md", "Examples/Conversations/README.md",
            "Examples/DownloadServer/README.md",
        ].compactMap {
            SourceFile(path: $0)
        }

    /// All files below a folder with one of the endings, in the order of their paths.
    static func files(below folder: String, ending endings: [String]) -> [SourceFile] {
        let all = FileManager.default.enumerator(atPath: "\(root)/\(folder)")
        let paths = (all?.allObjects as? [String] ?? []).filter { path in
            endings.contains { path.hasSuffix($0) } && !path.contains(".build")
        }
        return paths.sorted().compactMap { SourceFile(path: "\(folder)/\($0)") }
    }
}

/// One file of this package.
struct SourceFile: Sendable {
    /// Its path from the root of the package.
    let path: String
    let text: String
    let lines: [String]
    /// The lines with their numbers, comments left out; what stands in string literals stays.
    let code: [(number: Int, text: String)]

    init?(path: String) {
        guard let text = try? String(contentsOfFile: "\(House.root)/\(path)", encoding: .utf8) else {
            return nil
        }
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        code = lines.enumerated().compactMap { index, line in
            let trimmed = line.drop { $0 == " " }
            guard !trimmed.hasPrefix("//") else { return nil }
            let uncommented =
                trimmed.range(of: " // ").map { String(trimmed[..<$0.lowerBound]) } ?? String(trimmed)
            return (index + 1, uncommented)
        }
    }

    /// The target that it belongs to: the component of its path behind `Sources` or `Tests`.
    var target: String {
        let components = path.split(separator: "/").map(String.init)
        return components.drop { $0 != "Sources" && $0 != "Tests" }.dropFirst().first ?? ""
    }

    /// Its name without folders.
    var name: String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// Whether `text` stands anywhere in it, comments included. Bytes are compared, which is much faster than to compare
    /// characters.
    func has(_ text: String) -> Bool {
        self.text.withCString { whole in text.withCString { strstr(whole, $0) != nil } }
    }

    /// The places in its code that have `text` in them, and not as the end of a longer word, as `path:line: code`.
    func mentions(of text: String) -> [String] {
        // Nearly every file lacks nearly every text that is asked for.
        guard has(text) else { return [] }
        let isWord = text.first?.isLetter == true
        return code.filter { line in
            line.text.ranges(of: text).contains { range in
                let before = line.text[..<range.lowerBound].last
                return !isWord || before?.isLetter != true
            }
        }.map { "\(path):\($0.number): \($0.text)" }
    }
}
