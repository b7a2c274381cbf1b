import Testing

/// Names say what a thing is.
@Suite("Names")
struct NameTests {
    /// Words that name a drawer rather than a thing.
    static let drawers = [
        "Util", "Utils", "Utilities", "Helper", "Helpers", "Manager", "Common", "Misc", "New",
    ]

    @Test("no file, folder or type is named after a drawer")
    func nothingIsADrawer() {
        var violations: [String] = []
        for file in House.sources + House.tests + House.examples {
            let folders = file.path.split(separator: "/").dropLast().map(String.init)
            violations += folders.filter { Self.drawers.contains($0) }.map {
                "\(file.path): the folder \($0)"
            }
            for name in Self.types(in: file) + [String(file.name.dropLast(".swift".count))] {
                let words = Self.words(name)
                if let drawer = words.first(where: { Self.drawers.contains($0) }), drawer != "New" {
                    violations.append("\(file.path): \(name)")
                }
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    @Test("no two test files share a name")
    func testFilesHaveNamesOfTheirOwn() {
        let shared = Dictionary(grouping: House.tests, by: \.name).values.filter { $0.count > 1 }
        let violations = shared.map { $0.map(\.path).joined(separator: " and ") }
        #expect(violations.isEmpty, "\(violations.sorted().joined(separator: "\n"))")
    }

    @Test("a file declares a type of its own name")
    func filesAreNamedAfterTheirTypes() {
        var violations: [String] = []
        for file in House.sources + House.examples {
            // `Type+Aspect.swift` extends Type.
            let stem = String(file.name.dropLast(".swift".count))
            let subject = String(stem.prefix { $0 != "+" })
            let extended = file.code.contains { $0.text.contains("extension \(subject)") }
            if !extended, !Self.types(in: file).contains(subject), !Self.exceptions.contains(file.path) {
                violations.append("\(file.path): neither declares nor extends \(subject)")
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }

    /// Files that are named after a thing that no type stands for.
    static let exceptions: Set<String> = [
        // How the live engine is put together.
        "Sources/Ferry/Engine/LiveEngine.swift",
        // UInt8, read as ASCII.
        "Sources/FerryCore/Text/ASCIIByte.swift",
    ]

    static func types(in file: SourceFile) -> [String] {
        let kinds: Set<String> = ["struct", "class", "enum", "protocol", "actor", "typealias", "macro"]
        return file.code.compactMap { _, line in
            let words = line.split { " :<{(".contains($0) }.map(String.init)
            guard let index = words.firstIndex(where: { kinds.contains($0) }), index + 1 < words.count else {
                return nil
            }
            return words[..<index].allSatisfy { $0.first?.isUppercase == false } ? words[index + 1] : nil
        }
    }

    /// The words of a name in camel case.
    static func words(_ name: String) -> [String] {
        var words: [String] = []
        for character in name {
            if character.isUppercase || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words
    }

    @Test("names are taken apart at their capitals")
    func namesAreTakenApart() {
        #expect(Self.words("DownloadManager") == ["Download", "Manager"])
        #expect(Self.words("renewal") == ["renewal"])
    }
}
