import Ferry
import FerryFrontend
import Glibc

/// The limits that the system sets for this process.
///
/// When descriptors, threads or memory run out, the libraries that Ferry uses end the process. So each limit is checked
/// before a command starts. Memory can still run out later.
enum ProcessLimits {
    /// Maximum descriptors that Ferry asks for. Programs started by Ferry inherit the limit, and some of them loop
    /// over every possible descriptor.
    private static let mostDescriptors: rlim_t = 65_536
    /// Number of threads that one command may need.
    static let threads = 16
    /// The address space that one command needs, without the stacks of its threads, in bytes.
    static let memory = 96 << 20

    /// Raises the soft limit of descriptors, and checks that the limits are high enough.
    ///
    /// - Parameter toRead: whether the command only reads the store, which needs fewer descriptors.
    /// - Throws: ``CommandFailure`` or ``StorageProblem`` when a limit is too low.
    static func prepare(toRead: Bool) throws {
        raiseDescriptors()
        try TransferEngine.descriptors(toRead: toRead)
        try checkMemory()
        try checkThreads()
    }

    private static func raiseDescriptors() {
        guard var limits = limits(RLIMIT_NOFILE) else { return }
        let wanted = min(limits.rlim_max, mostDescriptors)
        guard wanted > limits.rlim_cur else { return }
        limits.rlim_cur = wanted
        // If this fails, the limit stays as it was; the next check reads it.
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
            "This process may use \(ByteCount(Int64(clamping: limit)).formatted) of address space and uses "
                + "\(ByteCount(Int64(used)).formatted); ferry needs \(ByteCount(Int64(needed)).formatted) more. "
                + "Nothing was done.",
            hint: "Raise the limit to `ulimit -v \(most)` at least, and try again."
        )
    }

    private static func checkThreads() throws(CommandFailure) {
        // Starting them takes one to three milliseconds, so they are not started where they cannot fail.
        guard !TransferEngine.threadRoom().isAmple, !canStart(threads) else { return }
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

    /// The default size of a thread's stack, in bytes.
    private static var stackSize: Int {
        var attributes = pthread_attr_t()
        var size = 0
        guard pthread_attr_init(&attributes) == 0 else { return 8 << 20 }
        defer { pthread_attr_destroy(&attributes) }
        return pthread_attr_getstacksize(&attributes, &size) == 0 ? size : 8 << 20
    }

    /// Whether `count` threads can exist at once. It starts them to find out: limits of the user, the control group
    /// and memory all apply, and the system does not report how much is left.
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
