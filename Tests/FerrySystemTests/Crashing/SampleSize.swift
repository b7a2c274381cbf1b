import Foundation

/// How many of the possible runs a test makes. An environment variable sets it to a number or to `all`.
struct SampleSize: Sendable {
    /// `nil` for all.
    let limit: Int?

    init(variable: String, otherwise: Int) {
        let said = ProcessInfo.processInfo.environment[variable]
        limit = said == "all" ? nil : said.flatMap { Int($0) } ?? otherwise
    }

    /// All elements in order, or a random sample that depends on the seed.
    func sample<Choice>(from all: [Choice]) -> [Choice] {
        guard let limit else { return all }
        var random = SeededRandom(seed: SeededRandom.seed &+ UInt64(all.count))
        return Array(all.shuffled(using: &random).prefix(limit))
    }
}
