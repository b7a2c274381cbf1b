package import Ferry

extension WorkTerms {
    /// Retries of a request for a listing unless they are given. Nothing shows that one waits, so it does not wait as long as a
    /// transfer.
    static let retriesOfListing = 4

    /// Reads a time window; `nil` if no text is given.
    package static func window(_ text: String?) throws(CommandFailure) -> TimeWindow? {
        guard let text else { return nil }
        do {
            return try TimeWindow(parsing: text)
        } catch {
            throw .usage("--window: \(error)")
        }
    }

    /// Applies the time window and the deadline of a command line.
    mutating func apply(_ input: PlacementInput) throws(CommandFailure) {
        if let window = try Self.window(input.window) { self.window = window }
        notAfter = try Self.deadline(input.notAfter) ?? notAfter
    }

    /// Reads a deadline; `nil` if no text is given.
    package static func deadline(_ text: String?) throws(CommandFailure) -> Instant? {
        guard let text else { return nil }
        return try Deadline.parse(text, option: "--not-after", at: SystemTime.now)
    }

    /// Checks a count that must not be negative.
    package static func count(_ number: Int, _ option: String) throws(CommandFailure) -> Int {
        guard (0...1_000_000).contains(number) else { throw .usage("\(option) must be from 0 to 1000000.") }
        return number
    }
}
