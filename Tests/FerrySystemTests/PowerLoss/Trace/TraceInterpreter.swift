/// Turns system calls into what they did to the files beneath one directory.
///
/// Threads share their descriptors, and a process that makes another one is not understood. Modes, owners, times
/// and locks are left out; a call that changes a file in any other way and is not understood is an error.
struct TraceInterpreter {
    /// What a descriptor leads to.
    enum Opened: Hashable {
        case node(NodeID)
        /// Something outside the directory that is only read, or a device.
        case outside
    }

    /// The names as the running commands see them.
    private(set) var names: NameTree
    /// Where relative paths begin.
    let workingDirectory: String
    private(set) var operations: [DiskOperation] = []

    var descriptors: [Int: Opened] = [:]
    private var hasStarted = false
    private var syncs = 0
    /// The syncs that threads are in.
    private var syncing: [Int: Int] = [:]

    /// An interpreter of commands that run in `workingDirectory` and find these names.
    init(names: NameTree, workingDirectory: String) {
        self.names = names
        self.workingDirectory = workingDirectory
    }

    /// Takes in the whole trace of one command.
    mutating func interpret(_ log: [UInt8]) throws {
        descriptors = [:]
        hasStarted = false
        syncing = [:]
        var status: Int32?
        for event in try StraceLog.events(of: log) {
            switch event {
            case .began(let call): try began(call)
            case .ended(let call, let hasBegun): try ended(call, hasBegun: hasBegun)
            case .exited(let code): status = code
            }
        }
        // Threads say the same before it; the process says it last.
        guard let status else { throw TraceProblem("the command has no end") }
        perform(.exit(status: status))
    }

    mutating func perform(_ operation: DiskOperation) {
        names.apply(operation)
        operations.append(operation)
    }

    // MARK: Events

    private mutating func began(_ call: SystemCall) throws {
        switch call.name {
        case "fsync", "fdatasync": try beginSync(call)
        // The number is free as soon as the call has begun.
        case "close": descriptors[try call.number(0)] = nil
        default: break
        }
    }

    private mutating func ended(_ call: SystemCall, hasBegun: Bool) throws {
        switch call.name {
        case "fsync", "fdatasync":
            if !hasBegun { try beginSync(call) }
            guard let sync = syncing.removeValue(forKey: call.thread) else { return }
            // A sync that failed promises nothing.
            if call.result == 0 { perform(.endSync(sync)) }
        case "close":
            if !hasBegun { descriptors[try call.number(0)] = nil }
        case _ where call.result == nil || call.result == -1:
            // It did nothing, or the process ended within it: those have no result, and none may be a write.
            guard call.result == -1 || Self.mayNotEnd.contains(call.name) else {
                throw TraceProblem("\(call.name) never ended")
            }
        case "execve":
            guard !hasStarted else { throw TraceProblem("the command became another one") }
            hasStarted = true
        case "clone", "clone3":
            let description = try call.arguments.indices.map { try call.text($0) }.joined(separator: ", ")
            guard description.contains("CLONE_FILES"), description.contains("CLONE_THREAD") else {
                throw TraceProblem("another process was made: \(description)")
            }
        default:
            try changed(call)
        }
    }

    /// The calls that change no file when the process ends within them: one thread may end it while another one
    /// is just starting a third.
    private static let mayNotEnd: Set = ["exit", "exit_group", "clone", "clone3", "mmap"]

    private mutating func beginSync(_ call: SystemCall) throws {
        guard let node = try node(behind: call, 0) else { return }
        syncs += 1
        syncing[call.thread] = syncs
        perform(.beginSync(syncs, of: node))
    }

    /// The file or directory that a descriptor argument leads to; `nil` when it is not among the watched ones.
    func node(behind call: SystemCall, _ index: Int) throws -> NodeID? {
        guard case .node(let node) = descriptors[try call.number(index)] else { return nil }
        return node
    }

    /// A new node's number.
    func freshNode() -> NodeID { names.freshNode }
}
