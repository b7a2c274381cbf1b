/// What the system reports about the threads that a process may still start.
///
/// It reports limits and counts, but other processes start threads too. So this only tells whether there is so much room that
/// no thread of a command can fail to start. Otherwise the command has to try.
package struct ThreadRoom: Hashable, Sendable {
    /// A limited control group that the process is in, by itself or through its parents.
    package struct Group: Hashable, Sendable {
        /// Maximum number of processes and threads in it (`pids.max`).
        package let limit: Int
        /// Their present number (`pids.current`).
        package let tasks: Int

        package init(limit: Int, tasks: Int) {
            self.limit = limit
            self.tasks = tasks
        }
    }

    /// A user with this limit runs out of it only through a fault.
    private static let enoughForUser = 4096
    /// The same for the threads that a group lacks to its limit. A service or a container often has a group of its own.
    private static let enoughInGroup = 1024

    private let userLimit: Int?
    private let groups: [Group]?

    /// - Parameters:
    ///   - userLimit: the maximum number of processes and threads of the user (`RLIMIT_NPROC`); `Int.max` if there is no
    ///     limit, `nil` if it is unknown.
    ///   - groups: the limited groups that the process is in; `nil` if one of them cannot be read.
    package init(userLimit: Int?, groups: [Group]?) {
        self.userLimit = userLimit
        self.groups = groups
    }

    /// Whether it is certain that a command can start its threads.
    package var isAmple: Bool {
        guard let userLimit, userLimit >= Self.enoughForUser, let groups else { return false }
        return groups.allSatisfy { $0.limit - $0.tasks >= Self.enoughInGroup }
    }
}
