/// The files of the contention tests. A third is in the default queue, and a third in a queue with few slots. The last
/// third comes in stages: each of these files waits for a file of the stage before.
struct ContentionPlan: Sendable {
    /// How many files there are.
    let count: Int
    /// How many transfers of the narrow queue may run at once, over all processes.
    static let narrowSlots = 3
    private static let stages = 6

    /// Files that one command adds.
    struct Batch: Sendable {
        var names: [String]
        var options: [String]
    }

    /// The commands that add all files, in order.
    var batches: [Batch] {
        var batches = [
            Batch(names: names { $0 % 3 == 0 }, options: []),
            Batch(names: names { $0 % 3 == 1 }, options: ["--queue", "narrow"]),
        ]
        var added = batches.reduce(0) { $0 + $1.names.count }
        var former: Int?
        for stage in 0..<Self.stages {
            let names = names { self.stage(of: $0) == stage }
            guard !names.isEmpty else { continue }
            // A later stage has a higher priority, so only the dependency keeps it from running first.
            let options = ["--priority", "\(stage)"] + (former.map { ["--after", "\($0)"] } ?? [])
            batches.append(Batch(names: names, options: options))
            // Transfers are numbered from 1, in the order in which they are added.
            former = added + 1
            added += names.count
        }
        return batches
    }

    /// The names of all files.
    var names: [String] { names { _ in true } }

    /// Whether a file is in the narrow queue.
    func isNarrow(_ name: String) -> Bool { Self.number(of: name) % 3 == 1 }

    /// The file that must be completed before this one starts.
    func awaited(by name: String) -> String? {
        guard let stage = stage(of: Self.number(of: name)), stage > 0 else { return nil }
        var first = ((stage - 1) * count + Self.stages - 1) / Self.stages
        while first % 3 != 2 { first += 1 }
        return "file-\(first)"
    }

    /// The number in a name, or in the path of a request for it.
    static func number(of name: String) -> Int { Int(name.filter(\.isNumber)) ?? 0 }

    private func stage(of number: Int) -> Int? { number % 3 == 2 ? number * Self.stages / count : nil }

    private func names(_ belongs: (Int) -> Bool) -> [String] {
        (0..<count).filter(belongs).map { "file-\($0)" }
    }
}
