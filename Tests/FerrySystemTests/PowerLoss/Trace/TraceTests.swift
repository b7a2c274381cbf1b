import Testing

/// The output of strace is read completely, and nothing is ignored.
@Suite("Traces")
struct TraceTests {
    /// `text` as strace -xx writes it.
    private func quoted(_ text: String) -> String {
        let digits = text.utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "\"\(digits.joined())\""
    }

    /// The operations of a trace in a directory with one file, `old`.
    private func operations(_ lines: String...) throws -> [DiskOperation] {
        var names = NameTree(root: "/w")
        names.apply(.create(NodeID(rawValue: 1), name: "old", in: NameTree.rootNode))
        var interpreter = TraceInterpreter(names: names, workingDirectory: "/elsewhere")
        let log = (lines + ["7 +++ exited with 0 +++"]).joined(separator: "\n") + "\n"
        try interpreter.interpret(Array(log.utf8))
        return interpreter.operations
    }

    private func open(
        _ path: String,
        _ flags: String = "O_RDWR|O_CREAT|O_CLOEXEC",
        _ result: Int = 5
    ) -> String {
        "7 openat(AT_FDCWD, \(quoted(path)), \(flags), 0600) = \(result)"
    }

    @Test("creating, writing and syncing become operations with their bytes")
    func bytes() throws {
        let found = try operations(
            open("/w/new"),
            "7 pwrite64(5, \(quoted("a,b(\"")), 5, 4096) = 4",
            "7 ftruncate(5, 2) = 0",
            "7 fdatasync(5)                      = 0"
        )
        guard found.count == 6, case .create(let node, "new", in: NameTree.rootNode) = found[0],
            case .write(let bytes, node, at: 4096) = found[1], case .resize(node, to: 2) = found[2],
            case .beginSync(let sync, of: node) = found[3], case .endSync(sync) = found[4],
            case .exit(status: 0) = found[5]
        else {
            Issue.record("\(found)")
            return
        }
        // Only the bytes that the kernel accepted.
        #expect(bytes == Array("a,b(".utf8))
    }

    @Test("a sync covers changes before its beginning, not before its end")
    func syncUnderWay() throws {
        let found = try operations(
            open("/w/old"),
            "7 fdatasync(5 <unfinished ...>",
            "8 pwrite64(5, \(quoted("x")), 1, 0) = 1",
            "7 <... fdatasync resumed>) = 0"
        )
        guard found.count == 4, case .beginSync = found[0], case .write = found[1], case .endSync = found[2]
        else {
            Issue.record("\(found)")
            return
        }
    }

    @Test("a failed sync has no end")
    func failedSync() throws {
        let found = try operations(open("/w/old"), "7 fsync(5) = -1 EIO (Input/output error)")
        #expect(!found.contains { if case .endSync = $0 { true } else { false } })
    }

    @Test("a descriptor that is closed and reused leads to the new file")
    func descriptorsAreReused() throws {
        let found = try operations(
            open("/w/old"),
            "7 close(5 <unfinished ...>",
            "8 openat(AT_FDCWD, \(quoted("/w/new")), O_RDWR|O_CREAT, 0600) = 5",
            "7 <... close resumed>) = 0",
            "8 pwrite64(5, \(quoted("x")), 1, 0) = 1"
        )
        guard case .create(let node, _, _) = found[0], case .write(_, node, _) = found[1] else {
            Issue.record("\(found)")
            return
        }
    }

    @Test("names change atomically, by path and relative to a descriptor")
    func names() throws {
        let found = try operations(
            open("/w", "O_RDONLY|O_DIRECTORY", 4),
            "7 renameat2(4, \(quoted("old")), 4, \(quoted("new")), RENAME_NOREPLACE) = 0",
            "7 link(\(quoted("/w/new")), \(quoted("/w/more"))) = 0",
            "7 unlink(\(quoted("/w/./new"))) = 0",
            "7 unlink(\(quoted("/w/never"))) = -1 ENOENT (No such file or directory)"
        )
        let changes = found.compactMap { if case .bind(let names, _) = $0 { names } else { nil } }
        let file = NodeID(rawValue: 1)
        #expect(changes == [["old": nil, "new": file], ["more": file], ["new": nil]])
    }

    @Test(
        "an unknown call is an error",
        arguments: [
            "truncate(\"\\x2f\\x77\\x2f\\x6f\\x6c\\x64\", 0) = 0",
            "copy_file_range(5, NULL, 6, NULL, 10, 0) = 10",
            "fallocate(5, 0, 0, 100) = 0",
            "write(5, \"\\x41\", 1) = 1",
            "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED, 5, 0) = 0x7f00",
            "pwrite64(9, \"\\x41\", 1, 0) = 1",
            "pwrite64(5, \"\\x41\"..., 2, 0) = 2",
            "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 9",
            "openat(AT_FDCWD, \"\\x2f\\x65\", O_WRONLY|O_CREAT, 0600) = 6",
            "openat(AT_FDCWD, \"\\x2f\\x77\\x2f\\x6f\\x6c\\x64\", O_RDWR|O_TRUNC) = 6",
            "rename(\"\\x2f\\x77\\x2f\\x6f\\x6c\\x64\", \"\\x2f\\x65\") = 0",
            "some_new_call(5) = 0",
            "fsync(5",
        ]
    )
    func unknown(_ line: String) {
        #expect(throws: TraceProblem.self) { try operations(open("/w/old"), "7 \(line)") }
    }

    @Test("a file that is created without a name is named later")
    func nameless() throws {
        let found = try operations(
            open("/w", "O_RDONLY|O_DIRECTORY", 4),
            "7 openat(4, \(quoted(".")), O_RDWR|O_CLOEXEC|O_TMPFILE, 0666) = 5",
            "7 linkat(AT_FDCWD, \(quoted("/proc/self/fd/5")), 4, \(quoted("new")), AT_SYMLINK_FOLLOW) = 0"
        )
        guard found.count == 3, case .createNameless(let node) = found[0],
            case .bind(let names, in: NameTree.rootNode) = found[1], names == ["new": node]
        else {
            Issue.record("\(found)")
            return
        }
    }

    @Test("a read or a failed call changes nothing")
    func harmless() throws {
        let found = try operations(
            "7 openat(AT_FDCWD, \(quoted("/etc/hosts")), O_RDONLY|O_CLOEXEC) = 5",
            "7 mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f00",
            "7 mkdir(\(quoted("/w/there")), 0700) = -1 EEXIST (File exists)",
            "7 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0} => {parent_tid=[8]}, 88) = 8",
            "7 write(1, \(quoted("12\n")), 3) = 3"
        )
        guard found.count == 2, case .say("12\n") = found[0] else {
            Issue.record("\(found)")
            return
        }
    }

    @Test("a process that ends while a thread starts another changes nothing")
    func endsWithinAStart() throws {
        let found = try operations(
            "8 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0} <unfinished ...>",
            "7 exit_group(0) = ?",
            "8 <... clone3 resumed> => {parent_tid=[0]}, 88) = ?"
        )
        #expect(found.count == 1)
        #expect(throws: TraceProblem.self) {
            try operations("8 write(5, \(quoted("12")), 2) = ?")
        }
    }

    @Test("a request departs when its write begins, whichever call writes it")
    func departures() throws {
        let head = quoted("POST /a HTTP/1.1\r\nHost: x\r\n\r\n")
        let found = try operations(
            "7 write(9, \(quoted("GET /b HTTP/1.1\r\n\r\n")), 21) = 21",
            "7 writev(9, [{iov_base=\(head), iov_len=28}, {iov_base=\(quoted("x")), iov_len=1}], 2) = 29",
            "7 write(9, \(head), 28 <unfinished ...>",
            "8 openat(AT_FDCWD, \(quoted("/w/new")), O_RDWR|O_CREAT, 0600) = 5",
            "7 <... write resumed>) = 28"
        )
        guard found.count == 4, case .depart("/a") = found[0], case .depart("/a") = found[1],
            case .create = found[2]
        else {
            Issue.record("\(found)")
            return
        }
    }
}
