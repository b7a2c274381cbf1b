/// Translates system calls into operations on the files below one directory.
///
/// All threads share their descriptors. A process that starts another process is an error. Modes, owners, times and locks
/// are not modelled. Any other unknown call that changes a file is an error.
struct TraceInterpreter {
    /// The target of a descriptor.
    enum Opened: Hashable {
        case node(NodeID)
        /// A file outside the directory that is only read, or a device.
        case outside
    }

    /// The names as the running commands see them.
    private(set) var names: NameTree
    /// The directory of relative paths.
    let workingDirectory: String
    private(set) var operations: [DiskOperation] = []

    var descriptors: [Int: Opened] = [:]
    private var hasStarted = false
    private var syncs = 0
    /// The syncs in progress, by thread.
    private var syncing: [Int: Int] = [:]

    /// An interpreter for commands that run in `workingDirectory` and find these names.
    init(names: NameTree, workingDirectory: String) {
        self.names = names
        self.workingDirectory = workingDirectory
    }

    /// Interprets the whole trace of one command.
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
        // Its threads report the same first. The process reports it last.
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
        case "write", "writev": try noteDeparture(call)
        // The descriptor can be reused as soon as the call has begun.
        case "close": descriptors[try call.number(0)] = nil
        default: break
        }
    }

    private mutating func ended(_ call: SystemCall, hasBegun: Bool) throws {
        switch call.name {
        case "fsync", "fdatasync":
            if !hasBegun { try beginSync(call) }
            guard let sync = syncing.removeValue(forKey: call.thread) else { return }
            // A failed sync guarantees nothing.
            if call.result == 0 { perform(.endSync(sync)) }
        case "close":
            if !hasBegun { descriptors[try call.number(0)] = nil }
        case _ where call.result == nil || call.result == -1:
            // The call failed, or the process ended during it and it has no result. Such a call must not be a write.
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
            if !hasBegun { try noteDeparture(call) }
            try changed(call)
        }
    }

    /// Notes a request that may leave with this write.
    private mutating func noteDeparture(_ call: SystemCall) throws {
        guard ["write", "writev"].contains(call.name), try call.number(0) > 2,
            try node(behind: call, 0) == nil
        else { return }
        let line = String(decoding: try call.firstBytes(1).prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
        let words = line.split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[0] != "GET" else { return }
        perform(.depart(String(words[1])))
    }

    /// The calls that change no file if the process ends during them. One thread may end the process while another
    /// thread starts a third. A thread that is ended just as it makes a call never makes it, and strace names the call ???.
    private static let mayNotEnd: Set = ["???", "exit", "exit_group", "clone", "clone3", "mmap"]

    private mutating func beginSync(_ call: SystemCall) throws {
        guard let node = try node(behind: call, 0) else { return }
        syncs += 1
        syncing[call.thread] = syncs
        perform(.beginSync(syncs, of: node))
    }

    /// The file or directory of a descriptor argument; `nil` if it is not watched.
    func node(behind call: SystemCall, _ index: Int) throws -> NodeID? {
        guard case .node(let node) = descriptors[try call.number(index)] else { return nil }
        return node
    }

    /// The number of a new node.
    func freshNode() -> NodeID { names.freshNode }
}
