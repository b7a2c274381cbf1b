import Foundation
import Testing

/// The links and paths in the documents lead to existing files.
@Suite("Documents")
struct DocumentLinkTests {
    private static let roots = [
        "Sources/", "Tests/", "scripts/", "docs/", "Benchmarks/", "Examples/", "Fuzz/", ".ci/", "packaging/",
    ]

    /// The paths of this package that a text mentions in backticks or as the target of a link.
    static func paths(in text: String) -> Set<String> {
        let words = text.split { " \n\t`()[]\"',;|".contains($0) }
        let paths = words.compactMap { word -> String? in
            var path = String(word.prefix { $0 != "#" })
            if path.hasPrefix("./") { path.removeFirst(2) }
            while let last = path.last, ".:!?".contains(last) { path.removeLast() }
            let isPattern = path.contains { "*…<>{}$".contains($0) }
            return !isPattern && roots.contains { path.hasPrefix($0) } ? path : nil
        }
        return Set(paths)
    }

    @Test("every path of this package that a document names exists")
    func namedPathsExist() {
        var missing: [String] = []
        for document in House.documents {
            let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
            for path in Self.paths(in: document.text).sorted() {
                let isThere = ["\(House.root)/\(path)", "\(House.root)/\(folder)/\(path)"]
                    .contains { FileManager.default.fileExists(atPath: $0) }
                if !isThere { missing.append("\(document.path): \(path)") }
            }
        }
        #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
    }

    @Test("every link from one document to another leads somewhere")
    func linksLead() {
        var missing: [String] = []
        for document in House.documents {
            let folder = document.path.split(separator: "/").dropLast().joined(separator: "/")
            for piece in document.text.components(separatedBy: "](").dropFirst() {
                let target = String(piece.prefix { $0 != ")" && $0 != "#" && $0 != " " })
                guard !target.isEmpty, !target.contains("://"), !target.hasPrefix("mailto:") else { continue }
                let path = "\(House.root)/\(folder)/\(target)"
                if !FileManager.default.fileExists(atPath: path) {
                    missing.append("\(document.path): \(target)")
                }
            }
        }
        #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
    }
}
