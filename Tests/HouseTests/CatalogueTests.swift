import Testing

/// What the libraries show is what an application needs, and the catalogue of each lists all of it.
@Suite("The door")
struct CatalogueTests {
    /// The modules whose public names an application sees, by the catalogue that lists them.
    private static let shown: [String: Set<String>] = [
        "Sources/Ferry/Ferry.docc/Ferry.md": ["Ferry", "FerryCore", "FerryUploads"],
        "Sources/FerryOutbox/FerryOutbox.docc/FerryOutbox.md": ["FerryOutbox"],
        "Sources/FerryTesting/FerryTesting.docc/FerryTesting.md": ["FerryTesting"],
    ]

    private static let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor"]

    /// The name of the public type that a line declares outside of any other.
    static func publicType(_ line: String) -> String? {
        guard line.hasPrefix("public ") else { return nil }
        let words = line.split(whereSeparator: { " :<{(".contains($0) })
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else { return nil }
        let leading = words[1..<kind].allSatisfy { ["final", "indirect"].contains($0) }
        return leading ? String(words[kind + 1]) : nil
    }

    @Test("every public type stands in the catalogue, under a topic", arguments: shown)
    func listsEveryType(path: String, modules: Set<String>) throws {
        let catalogue = try #require(SourceFile(path: path))
        let listed = Set(
            catalogue.lines.filter { $0.hasPrefix("- ``") }.map { line in
                String(line.dropFirst(4).prefix { $0 != "`" })
            }
        )
        let types = House.sources.filter { modules.contains($0.target) }.flatMap { file in
            file.lines.compactMap(Self.publicType)
        }
        #expect(types.count > (modules.contains("Ferry") ? 40 : 0))
        let missing = Set(types).subtracting(listed).sorted()
        #expect(missing.isEmpty, "\(missing)")
        // A name that leads nowhere is worse than none.
        let unknown = listed.filter { !$0.contains("/") }.subtracting(types).sorted()
        #expect(unknown.isEmpty, "\(unknown)")
    }

    @Test("what an application cannot reach is for the package")
    func theRestIsForThePackage() {
        let shown = Self.shown.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        let others = House.sources.filter { !shown.contains($0.target) && $0.target != "FerryCLI" }
        let open = others.flatMap { file in
            file.code.filter { $0.text.split(separator: " ").contains("public") }.map {
                "\(file.path):\($0.number)"
            }
        }
        #expect(open.isEmpty, "\(open.prefix(20))")
    }

    @Test("a type is found by its declaration")
    func findsTypes() {
        #expect(Self.publicType("public struct A: Hashable {") == "A")
        #expect(Self.publicType("public final class B<C>: Sendable {") == "B")
        #expect(Self.publicType("public indirect enum D {") == "D")
        #expect(Self.publicType("public func e(_ class: Int) {") == nil)
        #expect(Self.publicType("package struct F {") == nil)
        #expect(Self.publicType("public import G") == nil)
    }
}
