import Glibc

/// How to start a process.
struct Launch: Sendable {
    var executable: String
    var arguments: [String]
    var environment: [String: String]
    var directory: String
    /// A file to read standard input from.
    var input = "/dev/null"
    /// A descriptor to use as standard input instead of `input`.
    var inputDescriptor: Int32?

    /// Whether it runs to a successful end. Its output is dropped.
    var succeeds: Bool {
        guard let pid = try? spawn(outputTo: "/dev/null", errorsTo: "/dev/null") else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
    }

    /// Starts it with default signal actions and without the descriptors of the tests.
    func spawn(outputTo outputPath: String, errorsTo errorPath: String) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let inputDescriptor {
            posix_spawn_file_actions_adddup2(&actions, inputDescriptor, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        }
        let writing = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, 1, outputPath, writing, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, errorPath, writing, 0o644)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var every = sigset_t()
        sigemptyset(&none)
        sigfillset(&every)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &every)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        )

        // A shell changes to the directory and executes the program, so the process number stays the same.
        let words =
            ["sh", "-c", "cd \"$1\" && shift && exec \"$@\"", "sh", directory, executable] + arguments
        var argumentPointers = words.map { strdup($0) }
        var environmentPointers = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        argumentPointers.append(nil)
        environmentPointers.append(nil)

        // Some code in this process opens descriptors without O_CLOEXEC.
        for descriptor in Int32(3)..<1_024 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        var pid: pid_t = 0
        let failure = posix_spawn(
            &pid,
            "/bin/sh",
            &actions,
            &attributes,
            argumentPointers,
            environmentPointers
        )
        guard failure == 0 else { throw NotStarted(executable: executable, errno: failure) }
        return pid
    }

    struct NotStarted: Error {
        var executable: String
        var errno: Int32
    }
}
