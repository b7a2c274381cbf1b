import Foundation

/// How many of the possible runs are made: what an environment variable says, `all` or a number, else a few.
struct SampleSize: Sendable {
    /// `nil` for all.
    let limit: Int?

    init(variable: String, otherwise: Int) {
        let said = ProcessInfo.processInfo.environment[variable]
        limit = said == "all" ? nil : said.flatMap { Int($0) } ?? otherwise
    }

    /// All in their order, or some that the seed draws.
    func sample<Choice>(from all: [Choice]) -> [Choice] {
        guard let limit else { return all }
        var random = SeededRandom(seed: SeededRandom.seed &+ UInt64(all.count))
        return Array(all.shuffled(using: &random).prefix(limit))
    }
}
