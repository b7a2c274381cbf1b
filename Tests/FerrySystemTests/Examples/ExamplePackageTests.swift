import Foundation
import Testing

/// Two manifests define the examples: their own, for readers, and that of Ferry, for these tests.
@Suite(
    "The package of the examples",
    .limitedParallelism,
    .enabled(if: Tool.swift.isInstalled, "there is no swift in PATH")
)
struct ExamplePackageTests {
    /// A manifest, as `swift package dump-package` prints it.
    private struct Manifest: Decodable {
        var products: [Product]
        var targets: [Target]
        var dependencies: [Package]

        struct Product: Decodable {
            var name: String
        }

        struct Target: Decodable {
            var name: String
            var type: String
            var path: String?
            var packageAccess: Bool
            var dependencies: [Module]
        }

        /// A dependency, by the name of its target or product.
        struct Module: Decodable, Hashable {
            var name: String

            init(from decoder: any Decoder) throws {
                let kinds = try decoder.singleValueContainer().decode([String: [String?]].self)
                name = kinds.values.first?.first.flatMap { $0 } ?? ""
            }
        }

        struct Package: Decodable, Hashable {
            var sourceControl: [Source]?

            struct Source: Decodable, Hashable {
                var identity: String
                var requirement: Requirement
            }

            struct Requirement: Decodable, Hashable {
                var range: [Bounds]?

                struct Bounds: Decodable, Hashable {
                    var lowerBound: String
                    var upperBound: String
                }
            }
        }
    }

    private func manifest(of folder: String, in sandbox: Sandbox) async throws -> Manifest {
        let outcome = try await sandbox.launch(
            executable: Tool.swift.requiredPath(),
            // In a folder of its own: a build may hold the lock of the usual one.
            [
                "package", "--package-path", folder, "--scratch-path", "\(sandbox.root)/scratch",
                "dump-package",
            ]
        ).outcome()
        outcome.expect(0)
        return try JSONDecoder().decode(Manifest.self, from: Data(outcome.output.utf8))
    }

    @Test(
        "both manifests build the examples from the same sources and modules, with public API only"
    )
    func manifestsAgree() async throws {
        try await Sandbox.open { sandbox in
            let examples = try await manifest(of: "\(Repository.root)/Examples", in: sandbox)
            let own = try await manifest(of: Repository.root, in: sandbox)
            let folders = try FileManager.default.contentsOfDirectory(
                atPath: "\(Repository.root)/Examples/Sources"
            )
            #expect(examples.targets.map(\.name).sorted() == folders.sorted())
            for target in examples.targets {
                let twin = try #require(own.targets.first { $0.name == target.name })
                #expect(target.path == nil && twin.path == "Examples/Sources/\(target.name)")
                #expect(target.type == twin.type && !twin.packageAccess)
                #expect(Set(target.dependencies) == Set(twin.dependencies), "\(target.name)")
            }
            let versions = Set(examples.dependencies.compactMap(\.sourceControl))
            #expect(
                versions.count == 3 && versions.isSubset(of: own.dependencies.compactMap(\.sourceControl))
            )
        }
    }

    @Test("Conversations is built here from the modules that its own manifest names, with public API only")
    func manifestOfConversations() async throws {
        try await Sandbox.open { sandbox in
            let folder = "Examples/Conversations"
            let example = try await manifest(of: "\(Repository.root)/\(folder)", in: sandbox)
            let own = try await manifest(of: Repository.root, in: sandbox)
            let target = try #require(example.targets.first { $0.name == "Conversations" })
            let twin = try #require(own.targets.first { $0.name == target.name })
            #expect(target.path == nil && twin.path == "\(folder)/Sources/\(target.name)")
            #expect(target.type == twin.type && !twin.packageAccess)
            #expect(Set(target.dependencies) == Set(twin.dependencies))
        }
    }

    @Test("the manifest of the first article is one, and names a library of this package")
    func manifestOfTheArticle() async throws {
        try await Sandbox.open { sandbox in
            let article = try String(
                contentsOfFile: "\(Repository.root)/Sources/Ferry/Ferry.docc/FirstDownload.md",
                encoding: .utf8
            )
            let blocks = article.components(separatedBy: "```\n")
            let text = try #require(blocks.first { $0.hasPrefix("// swift-tools-version:") })
            let folder = "\(sandbox.root)/app"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try text.write(toFile: "\(folder)/Package.swift", atomically: true, encoding: .utf8)
            let app = try await manifest(of: folder, in: sandbox)
            let own = try await manifest(of: Repository.root, in: sandbox)
            #expect(app.targets.flatMap(\.dependencies).map(\.name) == ["Ferry"])
            #expect(Set(own.products.map(\.name)).isSuperset(of: ["Ferry", "FerryTesting"]))
        }
    }
}
