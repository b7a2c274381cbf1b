package import Ferry

extension WorkTerms {
    /// Reads a time window; `nil` if no text is given.
    package static func window(_ text: String?) throws(CommandFailure) -> TimeWindow? {
        guard let text else { return nil }
        do {
            return try TimeWindow(parsing: text)
        } catch {
            throw .usage("--window: \(error)")
        }
    }

    /// Checks a count that must not be negative.
    package static func count(_ number: Int, _ option: String) throws(CommandFailure) -> Int {
        guard (0...1_000_000).contains(number) else { throw .usage("\(option) must be from 0 to 1000000.") }
        return number
    }
}
