/// The limits on what runs at once, and the pause between attempts, as they were given.
struct JobsInput: Hashable, Sendable {
    /// Maximum number of transfers that run at once.
    var jobs: Int?
    /// Maximum connections to one server.
    var connectionsPerHost: Int?
    /// The pause between attempts: seconds, or a number with its unit.
    var wait: String?

    /// What is wrong with the numbers, as a sentence; `nil` if nothing is.
    var flaw: String? {
        for (count, option) in [(jobs, "--jobs"), (connectionsPerHost, "--connections-per-host")] {
            guard let count, !(1...SettingKey.most).contains(count) else { continue }
            return "\(option) must be from 1 to \(SettingKey.most)."
        }
        return nil
    }
}
