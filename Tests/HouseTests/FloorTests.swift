import Testing

/// The folders of a module stand on floors, and nothing refers upward.
@Suite("Floors")
struct FloorTests {
    /// One floor: what its folders have in common, and the folders.
    typealias Floor = (name: String, folders: [String])

    /// The floors of each module, the lowest first.
    static let floors: [String: [Floor]] = [
        "FerryCore": [
            ("plain values", ["Text", "Time", "Units", "Segments", "Limits"]),
            (
                "what is read from bytes",
                [
                    "XML", "HTTP", "HTTP1", "Windows", "Rates", "Credentials", "Integrity", "Naming",
                    "Redirects",
                    "Proxy", "ListFile", "Indexes",
                ]
            ),
            (
                "what a transfer is described by",
                ["States", "Owners", "Files", "Terms", "Mirrors", "Progress"]
            ),
            (
                "decisions",
                ["Network", "Retry", "Queues", "Store", "Resume", "Recovery", "Kinds", "Trees", "Cache"]
            ),
            ("machines", ["Requests", "Uploads", "Download", "Fetches", "Wire"]),
            ("transfers", ["Work", "Transfer", "Transfer/Sharing"]),
            ("seams", ["Seams"]),
            ("what stores share", ["Rows"]),
        ],
        "FerryUploads": [
            ("plain values", ["Credentials", "Refusals"]),
            ("where things are", ["Addressing"]),
            ("what is signed", ["Signing"]),
            ("how files are sent", ["Protocols"]),
            ("what a bucket has", ["Listing"]),
        ],
        "FerrySealed": [
            ("plain values", ["Text", "Refusals", "Cipher"]),
            ("keys", ["Keys"]),
            ("the payload", ["Payload"]),
            ("what stands before it", ["Header", "Armor"]),
            ("whole files", ["Preamble"]),
            ("what is read in parts", ["Reading"]),
            ("what lies inside", ["Sections"]),
        ],
        "Ferry": [
            ("what an engine is given", ["Seams", "Configuration"]),
            ("what it knows", ["Files", "Sealing", "Rates", "Application", "Observing"]),
            ("what ends a wait", ["Network", "Waiting"]),
            ("attempts", ["Running", "Results"]),
            ("the loop", ["Scheduling"]),
            ("the door", ["Access", "Engine"]),
        ],
        "FerryFrontend": [
            ("what any front end says", ["Remedies", "Exit", "Text", "Files"]),
            (
                "what it plans and records",
                [
                    "Documents", "Connecting", "Getting", "Mirroring", "Sending", "ObjectStores", "Records",
                    "Sealing",
                ]
            ),
        ],
        "FerryCLI": [
            ("how the tool speaks", ["Terminal"]),
            ("what it is given", ["Environment", "Settings"]),
            (
                "what a person asks for",
                [
                    "Options/Connecting", "Options/Pacing", "Options/Refreshing", "Options/Getting",
                    "Options/Sending", "Options/Sealing",
                ]
            ),
            ("what it shows", ["Output", "Progress"]),
            ("a session with the engine", ["Session"]),
            ("what surrounds a session", ["Doctor", "Service"]),
            ("commands", ["Commands"]),
        ],
    ]

    /// What is wrong with the floors of a module, a sentence each.
    static func faults(_ references: FolderReferences, on floors: [Floor]) -> [String] {
        var faults: [String] = []
        var heights: [String: Int] = [:]
        for (height, floor) in floors.enumerated() {
            for folder in floor.folders where heights.updateValue(height, forKey: folder) != nil {
                faults.append("\(folder) is on two floors")
            }
        }
        faults += references.folders.subtracting(heights.keys).sorted().map { "\($0) is on no floor" }
        faults += Set(heights.keys).subtracting(references.folders).sorted().map {
            "\($0) is on a floor and has no sources"
        }
        for reference in references.all {
            guard let own = heights[reference.folder], let other = heights[reference.target], own < other
            else { continue }
            faults.append(
                "\(reference.path):\(reference.line): refers upward to \(reference.name), which \(reference.target) "
                    + "declares (\(floors[own].name) → \(floors[other].name))"
            )
        }
        for floor in floors {
            let circle = Set(references.circle(among: floor.folders))
            for reference in references.all
            where circle.contains(reference.folder) && circle.contains(reference.target) {
                faults.append(
                    "\(reference.path):\(reference.line): \(reference.name) of \(reference.target) is in a circle on its floor"
                )
            }
        }
        return faults
    }

    @Test(
        "no folder refers to one on a higher floor, and none stands outside",
        arguments: ["FerryCore", "FerryUploads", "FerrySealed", "Ferry", "FerryFrontend", "FerryCLI"]
    )
    func nothingRefersUpward(module: String) throws {
        let files = House.sources.map { (path: $0.path, text: $0.text) }
        let references = FolderReferences(in: "Sources/\(module)/", files)
        #expect(references.all.count > 10)
        let faults = Self.faults(references, on: try #require(Self.floors[module]))
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    /// The faults of a module of some small sources, by their paths below `Sources/House/`.
    private func faults(_ sources: [(path: String, text: String)], on floors: [Floor]) -> [String] {
        let files = sources.map { (path: "Sources/House/\($0.path)", text: $0.text) }
        return Self.faults(FolderReferences(in: "Sources/House/", files), on: floors)
    }

    @Test("a type of a higher floor is found, with the file and the line")
    func typesAreFound() {
        let roof: (path: String, text: String) = ("Roof/Tile.swift", "struct Tile {}")
        let floors: [Floor] = [("below", ["Cellar"]), ("above", ["Roof"])]
        let upward = faults([roof, ("Cellar/Jar.swift", "struct Jar {\n    var lid: [Tile]\n}")], on: floors)
        #expect(
            upward == [
                "Sources/House/Cellar/Jar.swift:2: refers upward to Tile, which Roof declares (below → above)"
            ]
        )
        let interpolated = ("Cellar/Jar.swift", #"let name = "\(Tile.self)""#)
        #expect(faults([roof, interpolated], on: floors).count == 1)
        let harmless = """
            // Tile
            struct Jar {
                let name = "Tile" + #"a "Tile""#
                struct Tile {}
                let own: Tile
            }
            """
        #expect(faults([roof, ("Cellar/Jar.swift", harmless)], on: floors).isEmpty)
        let importing = [
            ("Roof/Tile.swift", "import struct Stones.Marble\nstruct Tile {}"),
            ("Cellar/Jar.swift", "import Stones\nstruct Jar {}"),
        ]
        #expect(faults(importing, on: floors).isEmpty)
        let downward = [
            ("Cellar/Jar.swift", "struct Jar {}"), ("Roof/Tile.swift", "struct Tile { var jar: Jar }"),
        ]
        #expect(faults(downward, on: floors).isEmpty)
    }

    @Test("a member that a higher floor adds is found, unless its name says nothing")
    func membersAreFound() {
        let floors: [Floor] = [("below", ["Cellar"]), ("above", ["Roof"])]
        let jar = (
            "Cellar/Jar.swift", "struct Jar {\n    var lid = 1\n}\nfunc use(_ jar: Jar) { jar.shine() }"
        )
        let shine = ("Roof/Jar+Shine.swift", "extension Jar {\n    func shine() {}\n}")
        #expect(
            faults([jar, shine], on: floors) == [
                "Sources/House/Cellar/Jar.swift:4: refers upward to shine, which Roof declares (below → above)"
            ]
        )
        let bare = ("Cellar/Jar.swift", "struct Jar {\n    func use() { shine() }\n}")
        #expect(faults([bare, shine], on: floors).count == 1)
        let other = ("Cellar/Lamp.swift", "struct Lamp {\n    func shine() {}\n}")
        #expect(faults([jar, shine, other], on: floors).isEmpty)
    }

    @Test("a circle on one floor is found, and a folder that is on none or on two")
    func circlesAndStrangersAreFound() {
        let jar: (path: String, text: String) = ("Cellar/Jar.swift", "struct Jar { var tile: Tile? }")
        let plain: (path: String, text: String) = ("Roof/Tile.swift", "struct Tile {}")
        let tile: (path: String, text: String) = ("Roof/Tile.swift", "struct Tile { var jars: [Jar] }")
        #expect(faults([jar, plain], on: [("only", ["Cellar", "Roof"])]).isEmpty)
        #expect(faults([jar, tile], on: [("only", ["Cellar", "Roof"])]).count == 2)
        #expect(faults([plain], on: []) == ["Roof is on no floor"])
        #expect(faults([plain], on: [("a", ["Roof"]), ("b", ["Roof"])]) == ["Roof is on two floors"])
        #expect(
            faults([plain], on: [("a", ["Roof", "Attic"])]) == ["Attic is on a floor and has no sources"]
        )
    }
}
