internal import FoundationEssentials
internal import Testing

/// The seeds of one fuzz target, as stored in this package.
package struct SeedFolder {
    /// Each seed, in order of their names.
    package let seeds: [(file: String, bytes: [UInt8])]

    /// Reads `Fuzz/Corpus/NAME`.
    package init(_ name: String) throws {
        let folder = Self.root.appending(path: name)
        seeds = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
            (file, Array(try Data(contentsOf: folder.appending(path: file))))
        }
    }

    /// Checks a property with the seeds of its target, and with what little damage makes of them.
    package static func check(_ property: InputProperty) throws {
        let name = property.name
        let seeds = try SeedFolder(name).seeds
        try #require(seeds.count >= 3, "Fuzz/Corpus/\(name) has too few seeds")
        for seed in seeds {
            #expect(throws: Never.self, "Fuzz/Corpus/\(name)/\(seed.file)") { try property.check(seed.bytes) }
        }
        for round in 0..<UInt64(1_000) {
            var mutation = SeedMutation(seed: round)
            let (seed, other) = (seeds[Int(round) % seeds.count], seeds[Int(round / 7) % seeds.count])
            let input = mutation.damaged(seed.bytes, with: other.bytes)
            #expect(throws: Never.self, "round \(round): \(input)") { try property.check(input) }
        }
    }

    /// The names of all folders of seeds.
    package static var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: root.path) }
    }

    /// `Fuzz/Corpus`, four folders up from here.
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus")
}
