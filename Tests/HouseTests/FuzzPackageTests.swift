import Testing

/// The package `Fuzz` has the sources of the rows by a link, without those that need the database. The suite does not build
/// it, so what would not compile there is found here.
@Suite("What is fuzzed")
struct FuzzPackageTests {
    private static let folder = "Sources/FerrySQLite/Rows"

    /// The files that the package leaves out.
    private static func excluded() throws -> Set<String> {
        let manifest = try #require(SourceFile(path: "Fuzz/Package.swift")).text
        let list = try #require(manifest.firstRange(of: "exclude: ["))
        let rest = manifest[list.upperBound...]
        let end = try #require(rest.firstIndex(of: "]"))
        return Set(rest[..<end].split(separator: "\"").map(String.init).filter { $0.hasSuffix(".swift") })
    }

    @Test("nothing that is fuzzed uses what is left out of the package")
    func usesNothingThatIsLeftOut() throws {
        let excluded = try Self.excluded()
        let files = House.files(below: Self.folder, ending: [".swift"])
        #expect(excluded.isSubset(of: files.map(\.name)), "each file that is left out exists")
        let (outside, inside) = (
            files.filter { excluded.contains($0.name) }, files.filter { !excluded.contains($0.name) }
        )
        #expect(inside.contains { $0.name == "StoredTexts.swift" })
        let types = Set(outside.map { String($0.name.split(separator: ".")[0]) }.filter { !$0.contains("+") })
        for file in inside {
            let words = Set(SourceWord.all(in: file.text).map(\.text))
            #expect(words.isDisjoint(with: types.union(["GRDB"])), "\(file.path)")
        }
    }
}
