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
        Array(order(of: all).prefix(limit ?? .max))
    }

    /// All elements: in order, or for a sample in a random order that depends on the seed. So a choice that turns out to have
    /// no effect can give way to the next one.
    func order<Choice>(of all: [Choice]) -> [Choice] {
        guard limit != nil else { return all }
        var random = SeededRandom(seed: SeededRandom.seed &+ UInt64(all.count))
        return all.shuffled(using: &random)
    }

    /// Whether a sample has this many elements.
    func isReached(by count: Int) -> Bool { limit.map { count >= $0 } ?? false }
}
