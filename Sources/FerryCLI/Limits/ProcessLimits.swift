import Ferry
import Glibc

/// What this process may use of the machine.
///
/// Without descriptors, threads or memory the libraries below end the process wherever it is. So what can be known is
/// asked before anything is begun; memory that runs out later ends it all the same.
enum ProcessLimits {
    /// The most descriptors that are asked for: what a command inherits that Ferry starts may walk through all of them.
    private static let mostDescriptors: rlim_t = 65_536
    /// How many threads one command may need.
    static let threads = 16
    /// What one command needs of memory addresses besides the stacks of its threads, in bytes.
    static let memory = 96 << 20

    /// Takes what this process is allowed to take.
    ///
    /// - Parameter toLook: whether the command only looks, which needs fewer descriptors.
    /// - Throws: ``CommandFailure`` or ``StorageProblem`` when that is too little to begin with.
    static func prepare(toLook: Bool) throws {
        raiseDescriptors()
        try TransferEngine.descriptors(toLook: toLook)
        try checkMemory()
        try checkThreads()
    }

    private static func raiseDescriptors() {
        guard var limits = limits(RLIMIT_NOFILE) else { return }
        let wanted = min(limits.rlim_max, mostDescriptors)
        guard wanted > limits.rlim_cur else { return }
        limits.rlim_cur = wanted
        // Refused, the limit stays what it was, which is asked for after this.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    }

    private static func checkMemory() throws(CommandFailure) {
        guard let limit = limits(RLIMIT_AS)?.rlim_cur, limit < rlim_t(Int64.max),
            let used = TransferEngine.addressSpace()
        else { return }
        let free = Int(clamping: limit) - used
        let needed = memory + threads * stackSize
        guard free < needed else { return }
        let most = (used + needed + 1023) >> 10
        throw CommandFailure(
            .other,
            code: "outOfMemory",
            "This process may use \(ByteCount(Int64(clamping: limit)).formatted) of memory addresses and uses "
                + "\(ByteCount(Int64(used)).formatted); ferry needs \(ByteCount(Int64(needed)).formatted) more. "
                + "Nothing was done.",
            hint: "Raise the limit to `ulimit -v \(most)` at least, and try again."
        )
    }

    private static func checkThreads() throws(CommandFailure) {
        guard !canStart(threads) else { return }
        throw CommandFailure(
            .other,
            code: "outOfThreads",
            "This process cannot start \(threads) threads. Nothing was done.",
            hint:
                "Raise the limit of processes and threads with `ulimit -u`, or TasksMax= of the systemd unit, "
                + "and try again."
        )
    }

    private static func limits(_ resource: __rlimit_resource) -> rlimit? {
        var limits = rlimit()
        return getrlimit(__rlimit_resource_t(resource.rawValue), &limits) == 0 ? limits : nil
    }

    /// What a thread takes, in bytes, when nothing else is said.
    private static var stackSize: Int {
        var attributes = pthread_attr_t()
        var size = 0
        guard pthread_attr_init(&attributes) == 0 else { return 8 << 20 }
        defer { pthread_attr_destroy(&attributes) }
        return pthread_attr_getstacksize(&attributes, &size) == 0 ? size : 8 << 20
    }

    /// Whether so many threads can be there at once. Limits of users, of control groups and of memory all count here, and
    /// no number tells what is left of them.
    private static func canStart(_ count: Int) -> Bool {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        defer { gate.deallocate() }
        pthread_mutex_init(gate, nil)
        defer { pthread_mutex_destroy(gate) }
        pthread_mutex_lock(gate)
        var started: [pthread_t] = []
        while started.count < count {
            var thread = pthread_t()
            let result = pthread_create(
                &thread,
                nil,
                { gate in
                    let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self)
                    if let gate {
                        pthread_mutex_lock(gate)
                        pthread_mutex_unlock(gate)
                    }
                    return nil
                },
                gate
            )
            guard result == 0 else { break }
            started.append(thread)
        }
        pthread_mutex_unlock(gate)
        for thread in started { pthread_join(thread, nil) }
        return started.count == count
    }
}
