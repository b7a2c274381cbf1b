import Testing

/// What `docs/ARCHITECTURE.md` draws is what is there.
@Suite("Architecture")
struct ArchitectureTests {
    static let document = House.documents.first { $0.path == "docs/ARCHITECTURE.md" }

    /// The sources of each module, also those in C.
    static let files = House.files(below: "Sources", ending: [".swift", ".c"])

    static let modules = Set(files.map(\.target))

    /// The folders of each module that have sources.
    static let folders: [String: Set<String>] = files.reduce(into: [:]) { folders, file in
        let folder = file.path.split(separator: "/").dropFirst(2).dropLast().joined(separator: "/")
        if !folder.isEmpty { folders[file.target, default: []].insert(folder) }
    }

    /// The lines below a heading, up to the next heading of its level or of a higher one.
    static func section(_ heading: String, of lines: [String]) -> [String] {
        let level = heading.prefix { $0 == "#" }.count
        let below = lines.drop { $0 != heading }.dropFirst()
        return Array(below.prefix { !$0.hasPrefix("#") || $0.prefix { $0 == "#" }.count > level })
    }

    /// The lines of the drawings among lines.
    static func drawings(in lines: [String]) -> [String] {
        var isInside = false
        return lines.filter { line in
            if line.hasPrefix("```") { isInside.toggle() }
            return isInside && !line.hasPrefix("```")
        }
    }

    /// What is between gaps of two spaces or more, each with the column in which it begins.
    static func cells(of line: String) -> [(column: Int, text: String)] {
        var cells: [(column: Int, text: String)] = []
        var spaces = 2
        for (column, character) in line.enumerated() {
            guard character != " " else {
                spaces += 1
                continue
            }
            if spaces > 1 {
                cells.append((column, ""))
            } else if spaces == 1 {
                cells[cells.count - 1].text.append(" ")
            }
            cells[cells.count - 1].text.append(character)
            spaces = 0
        }
        return cells
    }

    /// The folders that a cell names; none if it says something else. What is in parentheses says something else.
    static func folderNames(in cell: String) -> [String] {
        let names = cell.prefix { $0 != "(" }.split(separator: "·").map { $0.split(separator: " ") }
        let areFolders = names.allSatisfy { words in
            words.count == 1
                && words[0].split(separator: "/").allSatisfy { part in
                    part.first?.isUppercase == true && part.allSatisfy { $0.isLetter || $0.isNumber }
                }
        }
        return areFolders ? names.map { String($0[0]) } : []
    }

    /// The folders that drawings show, from the top to the bottom. They are below the name of their module, or beside it.
    static func drawn(in lines: [String], _ modules: Set<String>) -> [String: [String]] {
        var drawn: [String: [String]] = [:]
        var headings: [(column: Int, module: String)] = []
        for line in lines {
            let cells = cells(of: line)
            let named = cells.filter { modules.contains($0.text) }
            if !named.isEmpty { headings = named.map { ($0.column, $0.text) } }
            for cell in cells where !modules.contains(cell.text) {
                guard let heading = headings.last(where: { $0.column <= cell.column }) else { continue }
                drawn[heading.module, default: []] += folderNames(in: cell.text)
            }
        }
        return drawn
    }

    /// The folders in the first column of each table whose heading names a module.
    static func listed(in lines: [String]) -> [String: [String]] {
        var listed: [String: [String]] = [:]
        var module: String?
        for line in lines {
            let first = line.split(separator: "|").first.map(String.init) ?? ""
            let names = first.split(separator: "`").map(String.init)
            if first.hasPrefix(" in `"), names.count > 1 {
                module = names[1]
            } else if !line.hasPrefix("|") {
                module = nil
            } else if let module {
                let folders = names.filter { $0.hasSuffix("/") }
                listed[module, default: []] += folders.map { String($0.dropLast()) }
            }
        }
        return listed
    }

    /// How what is shown differs from what is there, a sentence each.
    static func faults(_ shown: [String: [String]], _ present: [String: Set<String>]) -> [String] {
        var faults: [String] = []
        for module in Set(shown.keys).union(present.keys).sorted() {
            let names = shown[module] ?? []
            let there = present[module] ?? []
            faults += there.subtracting(names).sorted().map { "\(module)/\($0) is missing" }
            faults += Set(names).subtracting(there).sorted().map { "\(module)/\($0) has no sources" }
            if Set(names).count < names.count { faults.append("\(module) has a folder twice") }
        }
        return faults
    }

    @Test("the drawings of the floors have every folder, and no other")
    func drawingsShowTheFolders() throws {
        let section = Self.section("## The house", of: try #require(Self.document).lines)
        let lines = Self.drawings(in: Self.section("### Floors", of: section))
        let drawn = Self.drawn(in: lines, Self.modules)
        let faults = Self.faults(drawn, Self.folders)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test("a folder is drawn above those of lower floors", arguments: FloorTests.floors.keys.sorted())
    func drawingsShowTheFloors(module: String) throws {
        let lines = Self.drawings(in: Self.section("### Floors", of: try #require(Self.document).lines))
        let drawn = Self.drawn(in: lines, Self.modules)[module] ?? []
        let floors = try #require(FloorTests.floors[module])
        let heights = drawn.compactMap { folder in floors.firstIndex { $0.folders.contains(folder) } }
        #expect(heights.count > 3)
        #expect(heights == heights.sorted(by: >), "\(drawn)")
    }

    @Test("the tables of folders have every folder of their module, and no other")
    func tablesListTheFolders() throws {
        let listed = Self.listed(in: Self.section("### Floors", of: try #require(Self.document).lines))
        #expect(listed.count > 1)
        let present = Self.folders.filter { listed[$0.key] != nil }
        let faults = Self.faults(listed, present)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test("the drawing of the house has every target, and no other")
    func houseHasTheTargets() throws {
        let section = Self.section("## The house", of: try #require(Self.document).lines)
        let drawing = section.prefix { !$0.hasPrefix("### ") }
        let words = Self.drawings(in: Array(drawing)).flatMap { $0.split { !$0.isLetter } }.map(String.init)
        #expect(Set(words.filter { $0.hasPrefix("Ferry") || $0.hasPrefix("CFerry") }) == Self.modules)
    }

    @Test("a folder that is missing in a drawing is found, and one that is not there")
    func differencesAreFound() {
        let drawing = [
            " Castle                                Town", "",
            " up high     Roof · Roof/Attic         Market (each week)",
            " below       Cellar ·                  where the Mayor is",
            "             Dungeon", "",
            " Bridge      Arch     what carries it",
        ]
        let modules: Set<String> = ["Castle", "Town", "Bridge"]
        let drawn = Self.drawn(in: drawing, modules)
        #expect(
            drawn == [
                "Castle": ["Roof", "Roof/Attic", "Cellar", "Dungeon"], "Town": ["Market"],
                "Bridge": ["Arch"],
            ]
        )
        let present: [String: Set<String>] = [
            "Castle": ["Roof", "Roof/Attic", "Cellar", "Tower"], "Town": ["Market"], "Bridge": ["Arch"],
        ]
        #expect(
            Self.faults(drawn, present) == ["Castle/Tower is missing", "Castle/Dungeon has no sources"]
        )
        let table = [
            "| in `Castle` | what |", "|---|---|", "| `Roof/`, `Cellar/` | near `Tower/` |", "", "| `A/` |",
        ]
        #expect(Self.listed(in: table) == ["Castle": ["Roof", "Cellar"]])
    }
}
