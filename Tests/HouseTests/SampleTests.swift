import Testing

/// The samples in the documents compile: each sample is a sequence of lines in a compiled file.
@Suite("Samples")
struct SampleTests {
    /// A Swift sample in a document.
    struct Sample {
        var place: String
        var lines: [String]
    }

    /// The samples in the documents and in the comments of the public modules.
    static let samples =
        House.documents.flatMap { samples(in: $0.lines, of: $0.path) }
        + House.sources.filter(isPublic).flatMap { file in
            samples(in: file.lines.map(uncommented), of: file.path)
        }

    /// Whether an application reads the comments of a file. Of `FerryTesting`, it sees one folder.
    private static func isPublic(_ file: SourceFile) -> Bool {
        ["Ferry", "FerryCore", "FerryOutbox"].contains(file.target)
            || file.path.hasPrefix("Sources/FerryTesting/Applications/")
    }

    /// The compiled files that contain the samples.
    static let compiled =
        House.examples
        + House.tests.filter { file in
            ["Tests/DocumentSamples/", "Tests/FerryTestingTests/"].contains { file.path.hasPrefix($0) }
        }

    /// The blocks of Swift in a text.
    static func samples(in lines: [String], of path: String) -> [Sample] {
        var samples: [Sample] = []
        var begin: Int?
        for (index, line) in lines.enumerated() {
            if let start = begin, line.hasPrefix("```") {
                samples.append(Sample(place: "\(path):\(start)", lines: code(Array(lines[start..<index]))))
                begin = nil
            } else if line.hasPrefix("```swift") {
                begin = index + 1
            }
        }
        return samples
    }

    /// The line of a documentation comment without its mark.
    private static func uncommented(_ line: String) -> String {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("///") else { return "" }
        return String(text.dropFirst(text.hasPrefix("/// ") ? 4 : 3))
    }

    /// The lines that are compared, without indentation, imports and empty lines.
    static func code(_ lines: [String]) -> [String] {
        lines.map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty && !$0.hasPrefix("import ") }
    }

    /// Whether the lines of a sample stand in a file, one after another.
    static func stands(_ sample: [String], in file: [String]) -> Bool {
        guard let first = sample.first else { return false }
        return file.indices.contains { start in
            file[start] == first && file[start...].prefix(sample.count).elementsEqual(sample)
        }
    }

    @Test("every sample of Swift in a document is part of a file that is compiled")
    func samplesCompile() {
        let files = Self.compiled.map { Self.code($0.lines) }
        let loose = Self.samples.filter { sample in
            !files.contains { Self.stands(sample.lines, in: $0) }
        }
        #expect(
            loose.isEmpty,
            "\(loose.map { "\($0.place): \($0.lines.first ?? "nothing")" }.joined(separator: "\n"))"
        )
        #expect(Self.samples.contains { $0.place.hasPrefix("README.md:") })
        #expect(Self.samples.contains { $0.place.hasPrefix("Sources/Ferry/Ferry.docc/") })
        #expect(Self.samples.contains { $0.place.hasPrefix("Sources/Ferry/Engine/TransferEngine.swift:") })
    }

    @Test("a sample is found as a whole, or not at all")
    func samplesAreFoundWhole() {
        let file = Self.code(["import A", "func a() {", "    b()", "", "    c()", "}"])
        #expect(Self.stands(Self.code(["b()", "c()"]), in: file))
        #expect(!Self.stands(Self.code(["b()", "d()"]), in: file))
        #expect(!Self.stands(Self.code(["c()", "}", "}"]), in: file))
        #expect(!Self.stands([], in: file))
        #expect(
            Self.samples(in: ["```sh", "x", "```", "```swift", "y", "```"], of: "p").map(\.lines) == [["y"]]
        )
    }
}
