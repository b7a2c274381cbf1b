/// The calls that open, write, link, rename and unlink files.
extension TraceInterpreter {
    mutating func changed(_ call: SystemCall) throws {
        switch call.name {
        case "open": try open(call, directory: nil, path: 0, flags: call.flags(1))
        case "openat": try open(call, directory: 0, path: 1, flags: call.flags(2))
        case "openat2": try open(call, directory: 0, path: 1, flags: flagsInStructure(call))
        case "dup", "dup2", "dup3", "fcntl": try duplicate(call)
        case "write", "writev": try writeInOrder(call)
        case "pwrite64": try write(call)
        // The kernel sends a file to a peer.
        case "sendfile": if try node(behind: call, 0) != nil { throw notUnderstood(call) }
        case "ftruncate": try resize(call, to: call.number(1))
        case "fallocate": try allocate(call)
        case "mmap": try map(call)
        case "mkdir": try makeDirectory(call, directory: nil, path: 0)
        case "mkdirat": try makeDirectory(call, directory: 0, path: 1)
        case "rename": try rename(call, from: (nil, 0), to: (nil, 1))
        case "renameat", "renameat2":
            if call.arguments.count > 4 {
                guard try ["0", "RENAME_NOREPLACE"].contains(call.text(4)) else { throw notUnderstood(call) }
            }
            try rename(call, from: (0, 1), to: (2, 3))
        case "link": try link(call, from: (nil, 0), to: (nil, 1))
        case "linkat": try link(call, from: (0, 1), to: (2, 3))
        case "unlink": try unlink(call, (nil, 0))
        case "unlinkat":
            guard try call.text(2) == "0" else { throw notUnderstood(call) }
            try unlink(call, (0, 1))
        // A hint to the kernel. It makes nothing durable.
        case "sync_file_range": break
        // Modes and owners are not part of the model.
        case "fchmod", "fchown": break
        default: throw notUnderstood(call)
        }
    }

    private func notUnderstood(_ call: SystemCall) -> TraceProblem {
        let arguments = call.arguments.map { String(decoding: $0.prefix(60), as: UTF8.self) }
        return TraceProblem("not understood: \(call.name)(\(arguments.joined(separator: ", ")))")
    }

    // MARK: Descriptors

    private func flagsInStructure(_ call: SystemCall) throws -> Set<String> {
        let text = try call.text(2)
        guard let field = text.dropFirst().split(separator: ",").first, field.hasPrefix("flags=") else {
            throw notUnderstood(call)
        }
        return Set(field.dropFirst("flags=".count).split(separator: "|").map(String.init))
    }

    private mutating func open(_ call: SystemCall, directory: Int?, path: Int, flags: Set<String>) throws {
        guard let result = call.result else { throw notUnderstood(call) }
        let path = try resolve(call, directory, path)
        guard names.contains(path) else {
            let isDevice = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
            guard isDevice || flags.isDisjoint(with: ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"]) else {
                throw TraceProblem("\(path) is written, outside of what is watched")
            }
            descriptors[result] = .outside
            return
        }
        guard flags.isDisjoint(with: ["O_TRUNC", "O_APPEND"]) else { throw notUnderstood(call) }
        if flags.contains("O_TMPFILE") {
            let node = freshNode()
            perform(.createNameless(node))
            descriptors[result] = .node(node)
            return
        }
        if let node = names[path] {
            descriptors[result] = .node(node)
            return
        }
        guard flags.contains("O_CREAT") else { throw TraceProblem("\(path) was opened and never made") }
        let node = freshNode()
        let (parent, name) = try names.place(of: path)
        perform(.create(node, name: name, in: parent))
        descriptors[result] = .node(node)
    }

    private mutating func duplicate(_ call: SystemCall) throws {
        if call.name == "fcntl", try !call.text(1).hasPrefix("F_DUPFD") { return }
        guard let result = call.result else { throw notUnderstood(call) }
        descriptors[result] = descriptors[try call.number(0)]
    }

    // MARK: Bytes

    private mutating func writeInOrder(_ call: SystemCall) throws {
        // The file position is not modelled. Ferry and SQLite pass an offset with each write.
        if try node(behind: call, 0) != nil { throw notUnderstood(call) }
        if try call.name == "write" && call.number(0) == 1 {
            perform(.say(String(decoding: try call.bytes(1), as: UTF8.self)))
        }
    }

    private mutating func write(_ call: SystemCall) throws {
        guard let node = try node(behind: call, 0) else {
            throw TraceProblem("a write to an unknown file: descriptor \(try call.text(0))")
        }
        guard let count = call.result else { throw notUnderstood(call) }
        let bytes = try call.bytes(1)
        guard count <= bytes.count else { throw TraceProblem("a write's bytes are not all in the trace") }
        perform(.write(Array(bytes.prefix(count)), to: node, at: try call.number(3)))
    }

    private mutating func resize(_ call: SystemCall, to length: Int) throws {
        guard let node = try node(behind: call, 0) else { throw notUnderstood(call) }
        perform(.resize(node, to: length))
    }

    private func allocate(_ call: SystemCall) throws {
        // Allocation alone changes neither the length nor the bytes.
        guard try call.text(1) == "FALLOC_FL_KEEP_SIZE" else { throw notUnderstood(call) }
    }

    private mutating func map(_ call: SystemCall) throws {
        let protection = try call.flags(2)
        let flags = try call.flags(3)
        guard protection.contains("PROT_WRITE"), !flags.contains("MAP_PRIVATE"), try call.number(4) >= 0
        else {
            return
        }
        guard let node = try node(behind: call, 4) else { throw notUnderstood(call) }
        // SQLite rebuilds the index of its log after a power cut, so its content must not matter.
        guard names.paths(of: node).allSatisfy({ $0.hasSuffix("-shm") }) else { throw notUnderstood(call) }
        perform(.map(node))
    }

    // MARK: Names

    private mutating func makeDirectory(_ call: SystemCall, directory: Int?, path: Int) throws {
        let (parent, name) = try names.place(of: resolve(call, directory, path))
        perform(.makeDirectory(freshNode(), name: name, in: parent))
    }

    private mutating func rename(
        _ call: SystemCall,
        from: (directory: Int?, path: Int),
        to: (directory: Int?, path: Int)
    ) throws {
        let (oldParent, old) = try names.place(of: resolve(call, from.directory, from.path))
        let (newParent, new) = try names.place(of: resolve(call, to.directory, to.path))
        guard oldParent == newParent, let node = names.node(old, in: oldParent) else {
            throw notUnderstood(call)
        }
        perform(.bind([old: nil as NodeID?, new: node], in: oldParent))
    }

    private mutating func link(
        _ call: SystemCall,
        from: (directory: Int?, path: Int),
        to: (directory: Int?, path: Int)
    ) throws {
        let old = try call.path(from.path)
        let node: NodeID?
        // A file that was created without a name is linked through its descriptor.
        if old.hasPrefix("/proc/self/fd/"), let number = Int(old.dropFirst("/proc/self/fd/".count)) {
            if case .node(let opened) = descriptors[number] { node = opened } else { node = nil }
        } else {
            node = names[try resolve(call, from.directory, from.path)]
        }
        guard let node else { throw notUnderstood(call) }
        let (parent, name) = try names.place(of: resolve(call, to.directory, to.path))
        perform(.bind([name: node], in: parent))
    }

    private mutating func unlink(_ call: SystemCall, _ at: (directory: Int?, path: Int)) throws {
        let (parent, name) = try names.place(of: resolve(call, at.directory, at.path))
        perform(.bind([name: nil as NodeID?], in: parent))
    }

    /// The absolute path of a call.
    private func resolve(_ call: SystemCall, _ directory: Int?, _ index: Int) throws -> String {
        let path = try call.path(index)
        if path.hasPrefix("/") { return NameTree.normal(path) }
        guard let directory, try call.text(directory) != "AT_FDCWD" else {
            return NameTree.normal("\(workingDirectory)/\(path)")
        }
        switch descriptors[try call.number(directory)] {
        case .node(let node):
            guard let base = names.paths(of: node).first else { throw notUnderstood(call) }
            return NameTree.normal("\(base)/\(path)")
        case .outside:
            // The directory is unknown, but it is not watched. So the file may be read.
            return NameTree.normal("/outside/\(path)")
        case nil:
            throw TraceProblem("\(call.name): \(path) beneath a directory that is not watched")
        }
    }
}
