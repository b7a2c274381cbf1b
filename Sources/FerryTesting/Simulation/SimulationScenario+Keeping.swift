import FerryCore

/// What applications keep in order: a tree of nodes, and a pool.
extension SimulationScenario {
    /// A node with content.
    struct Leaf: Sendable {
        let id: NodeID
        let site: Int
        let name: FileName

        /// The download of its content.
        func specification(from origin: SimulatedOrigin) -> DownloadSpecification {
            var options = DownloadOptions()
            (options.existingFile, options.updates, options.retries) = (.overwrite, true, 1_000_000)
            return DownloadSpecification(
                url: origin.entrance(of: site),
                destination: .file(directory: SimulationScenario.directory, name: name),
                options: options
            )
        }
    }

    /// A pool, and what is asked of it.
    struct Pool: Sendable {
        let settings: CacheSettings
        let sites: [Int]
        /// The directory of its files.
        var directory: String { settings.directory ?? "/cache/\(settings.pool)" }
    }

    static let tree = "tree"
    /// The nodes without content, each after its parent.
    static let folders: [NodeID] = ["top", "side"]

    /// Draws a tree, a pool, both or none.
    mutating func drawKept(_ dice: SimulationDice, _ origin: SimulatedOrigin) throws {
        if dice.happens(200) {
            for number in 0..<dice.pick([1, 2, 4]) {
                let name = try FileName(userGiven: "leaf-\(number)")
                let site = try origin.addSite(dice, mayHaveChecksum: false)
                leaves.append(Leaf(id: "leaf-\(number)", site: site, name: name))
            }
        }
        guard dice.happens(200) else { return }
        var settings = CacheSettings("pool")
        settings.directory = dice.pick([nil, "/pool"])
        settings.maxBytes = dice.pick([nil, 0, 5_000, 50_000])
        settings.freshFor = dice.pick([nil, .zero, .seconds(600)])
        var sites: [Int] = []
        for _ in 0..<dice.pick([1, 2, 3]) {
            sites.append(try origin.addSite(dice, mayHaveChecksum: false))
        }
        pool = Pool(settings: settings, sites: sites)
    }

    /// Whether applications keep anything in order.
    var keeps: Bool { !leaves.isEmpty || pool != nil }

    /// The site of a node or of an entry that is fetched from a URL; `nil` for any other URL.
    func keptSite(at url: HTTPURL, of origin: SimulatedOrigin) -> Int? {
        (leaves.map(\.site) + (pool?.sites ?? [])).first { origin.entrance(of: $0) == url }
    }
}
