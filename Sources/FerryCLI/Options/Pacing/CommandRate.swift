import Ferry
import FerryFrontend

/// The rate limit that a command line names. It limits what the command runs, and nothing that another process runs.
struct CommandRate: Hashable, Sendable {
    /// The option, as it can be typed again.
    let option: String
    /// The limit.
    let schedule: RateSchedule

    /// Says that it has no effect on transfers that other processes run, and what to type; `nil` without such transfers.
    func warning(about followed: [(id: TransferID, process: Int32)]) -> String? {
        guard let first = followed.first else { return nil }
        let isOne = followed.count == 1
        let (id, one) = isOne ? ("\(first.id)", "it") : ("ID", "one of them")
        let here = "`ferry pause \(id)`, then this command again, runs \(one) here."
        guard schedule != .off else {
            let whose =
                isOne
                ? "process \(first.process), which runs transfer \(first.id)"
                : "other processes, which run \(followed.count) of these transfers"
            return "\(option) does not lift the limits of \(whose). \(here)"
        }
        let others =
            isOne
            ? "process \(first.process) runs transfer \(first.id)"
            : "other processes run \(followed.count) of these transfers"
        // A transfer has no timetable of its own.
        let advice = option.contains(":") ? here : "`ferry edit \(id) \(option)` limits \(one) there."
        return "\(option) has no effect while \(others). \(advice)"
    }
}
