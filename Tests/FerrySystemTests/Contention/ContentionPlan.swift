/// What three processes work off: a third of the files stands in the usual queue, a third in one with few slots, and a
/// third comes in stages, each after a file of the stage before.
struct ContentionPlan: Sendable {
    /// How many files there are.
    let count: Int
    /// How many of the narrow queue may run at once, over all processes.
    static let narrowSlots = 3
    private static let stages = 6

    /// Files that are added by one line of command.
    struct Batch: Sendable {
        var names: [String]
        var options: [String]
    }

    /// The lines by which all are added, in order.
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
            // The later it is to come, the sooner it would go but for that.
            let options = ["--priority", "\(stage)"] + (former.map { ["--after", "\($0)"] } ?? [])
            batches.append(Batch(names: names, options: options))
            // Transfers are numbered from 1 on, in the order in which they are added.
            former = added + 1
            added += names.count
        }
        return batches
    }

    /// The names of all files.
    var names: [String] { names { _ in true } }

    /// Whether a file stands in the narrow queue.
    func isNarrow(_ name: String) -> Bool { Self.number(of: name) % 3 == 1 }

    /// The file that is to be completed before this one is begun.
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
