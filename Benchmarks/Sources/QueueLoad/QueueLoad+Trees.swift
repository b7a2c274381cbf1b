import FerryCore
import FerrySQLite

extension QueueLoad {
    /// How many nodes of a folder are files; one more is the folder itself.
    private static let files = 99

    /// Discovers and marks nodes in batches, each of which survives power loss: folders of 99 files, ten folders in each
    /// folder above.
    ///
    /// - Parameter isScattered: whether the ids have no order, as random ones.
    mutating func discover(_ count: Int, isScattered: Bool) async throws {
        var inStore = Duration.zero
        var longest = Duration.zero
        for first in stride(from: 0, to: count, by: Self.batch) {
            let numbers = first..<min(first + Self.batch, count)
            let nodes = try numbers.map { number in
                NodeDiscovery(try Self.node(number, isScattered: isScattered), markingIfChanged: .all)
            }
            let begin = ContinuousClock.now
            let summary = try await store.discover(nodes, in: "tree")
            let time = begin.duration(to: .now)
            precondition(summary.new == nodes.count)
            inStore += time
            longest = max(longest, time)
        }
        figures.set("discovered", Double(count))
        figures.set("in store", inStore / .seconds(1))
        figures.set("longest batch", longest / .seconds(1))
    }

    private static func node(_ number: Int, isScattered: Bool) throws -> Node {
        let (folder, place) = number.quotientAndRemainder(dividingBy: files + 1)
        let isFolder = place == 0
        let above = isFolder ? (folder == 0 ? nil : (folder - 1) / 10) : folder
        return Node(
            id(number, isScattered),
            parent: above.map { id($0 * (files + 1), isScattered) },
            name: isFolder ? "folder-\(folder)" : "file-\(place).jpg",
            etag: isFolder ? nil : "\"\(number)\"",
            modified: Instant(milliseconds: now.milliseconds + Int64(number)),
            size: isFolder ? nil : Int64(number),
            source: isFolder ? nil : try HTTPURL(parsing: "https://example.com/\(folder)/\(place).jpg")
        )
    }

    private static func id(_ number: Int, _ isScattered: Bool) -> NodeID {
        // A bijection, so that no two are equal (Knuth's multiplicative hashing).
        NodeID(isScattered ? "\(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)" : "node-\(10_000_000 + number)")
    }

    /// Walks through all nodes, page by page as the library does.
    mutating func walk(_ count: Int) async throws {
        var walk = NodeWalk()
        var visited = 0
        var pages: [Duration] = []
        let begin = ContinuousClock.now
        while !walk.isDone {
            let start = ContinuousClock.now
            let page = try await store.page(of: walk, in: "tree", upTo: 1_000)
            pages.append(start.duration(to: .now))
            visited += page.nodes.count
            walk = page.walk
        }
        figures.set("wall", begin.duration(to: .now) / .seconds(1))
        figures.set("visited", Double(visited))
        figures.set("page", spread: pages)
        precondition(visited == count)
    }

    /// Finds all marked nodes in the order of their downloads, round by round as the library does.
    mutating func search(_ count: Int) async throws {
        var order = NeededOrder(in: "tree", under: nil)
        var found = 0
        var latest: NeededSearch.Entry?
        var rounds: [Duration] = []
        let begin = ContinuousClock.now
        while !order.isDone {
            let start = ContinuousClock.now
            let entries = try await store.next(in: &order, pageLength: 5_000)
            rounds.append(start.duration(to: .now))
            for entry in entries {
                precondition(latest?.isBefore(entry) ?? true)
                latest = entry
            }
            found += entries.count
        }
        figures.set("wall", begin.duration(to: .now) / .seconds(1))
        figures.set("found", Double(found))
        figures.set("round", spread: rounds)
        precondition(found == count)
    }
}
