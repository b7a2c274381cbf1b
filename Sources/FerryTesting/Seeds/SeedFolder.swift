internal import Foundation

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
