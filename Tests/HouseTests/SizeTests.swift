import Testing

/// A long file is two concepts, and a long function is several steps.
@Suite("Sizes")
struct SizeTests {
    static let fileLimit = 500
    static let functionLimit = 60
    static let spanLimit = 4

    /// The types that span more files, with how many. A number may only become smaller.
    static let wideTypes = [
        "FerryTesting/TransferStoreConformance": 26, "FerryTesting/InputProperty": 18,
        "FerrySQLite/StoreTransaction": 18, "FerrySQLite/StoreView": 13, "FerryCore/Transfer": 11,
        "FerryIO/Platform": 8, "FerryFrontend/DownloadPlan": 7, "FerryCLI/Session": 7,
        "Ferry/TransferEngine": 7, "Ferry/TransferAccess": 7, "FerryCore/TransferRows": 7,
        "FerryCore/HTTPURL": 6, "FerryCore/DownloadMachine": 5,
    ]

    @Test("no file is longer than 500 lines")
    func filesAreShort() {
        let long = (House.sources + House.tests + House.examples).filter { $0.lines.count > Self.fileLimit }
            .map { "\($0.path): \($0.lines.count) lines" }
        #expect(long.isEmpty)
    }

    /// A type in many files has to open its members to all of them.
    @Test("no type spans more than four files, but for those that did before")
    func typesAreNarrow() {
        let spans = House.sources.reduce(into: [String: Int]()) { spans, file in
            spans["\(file.target)/\(file.name.prefix { $0 != "+" && $0 != "." })", default: 0] += 1
        }
        let wide = spans.filter { $0.value > Self.spanLimit }
        #expect(wide == Self.wideTypes)
    }

    @Test("no function is longer than 60 lines")
    func functionsAreShort() {
        var long: [String] = []
        for file in House.sources + House.tests + House.examples {
            long += Self.functions(in: file).filter { $0.length > Self.functionLimit }
                .map { "\(file.path):\($0.line): \($0.length) lines" }
        }
        #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
    }

    /// The functions and initializers of a file. The formatter puts the closing brace under the beginning of the
    /// declaration, so indentation tells where one ends.
    static func functions(in file: SourceFile) -> [(line: Int, length: Int)] {
        var found: [(line: Int, length: Int)] = []
        for (index, line) in file.lines.enumerated() {
            let declaration = line.drop { $0 == " " }
            guard isFunction(declaration) else { continue }
            let indentation = String(repeating: " ", count: line.count - declaration.count)
            let rest = file.lines[(index + 1)...]
            guard let end = rest.firstIndex(where: { $0 == indentation + "}" }) else { continue }
            // A declaration on one line has no closing brace of its own below it: the next sibling comes first.
            let isOneLine =
                declaration.hasSuffix("}") || !rest[..<end].allSatisfy { isInside($0, indentation) }
            if !isOneLine { found.append((index + 1, end - index + 1)) }
        }
        return found
    }

    private static func isFunction(_ declaration: Substring) -> Bool {
        let words = declaration.prefix { $0 != "(" && $0 != "{" }.split(separator: " ")
        guard !declaration.hasPrefix("//"), let last = words.last else { return false }
        return words.contains("func") || last.hasPrefix("init") && words.count <= 3
    }

    private static func isInside(_ line: String, _ indentation: String) -> Bool {
        line.isEmpty || line.hasPrefix(indentation + " ") || line.hasPrefix(indentation + ")")
            || line.hasPrefix(indentation + "{") || line.hasPrefix(indentation + "where")
    }

    @Test("functions are measured from their first line to their closing brace")
    func functionsAreMeasured() throws {
        let file = try #require(SourceFile(path: "Tests/HouseTests/SizeTests.swift"))
        let functions = Self.functions(in: file)
        #expect(functions.count == 7)
        #expect(functions.allSatisfy { $0.length > 2 })
    }
}
