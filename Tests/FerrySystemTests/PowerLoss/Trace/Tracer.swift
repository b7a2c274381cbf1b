/// The arguments with which strace traces ferry.
enum Tracer {
    /// The calls that never change a file. All other calls are traced, and the interpreter fails at a call that it does not
    /// know. So a person looks once at every call that is new to ferry.
    static let harmless = [
        // Reads.
        "read", "pread64", "readv", "preadv", "readlink", "readlinkat", "lseek", "stat", "lstat", "fstat",
        "newfstatat", "statx", "statfs", "fstatfs", "access", "faccessat", "faccessat2", "getdents64",
        "getcwd",
        "ioctl", "fadvise64", "flock", "umask",
        // Memory, without mmap.
        "mprotect", "munmap", "madvise", "brk", "mremap", "mincore", "msync",
        // Threads, time and signals.
        "futex", "rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "rt_sigsuspend", "sigaltstack", "gettid",
        "getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "set_robust_list", "rseq", "prctl",
        "arch_prctl", "set_tid_address", "prlimit64", "getrandom", "setpriority", "getpriority",
        "sched_yield",
        "sched_getaffinity", "sched_setaffinity", "sched_getparam", "sched_getscheduler", "clock_gettime",
        "clock_nanosleep", "nanosleep", "clock_getres", "restart_syscall", "tgkill", "getrusage", "sysinfo",
        "uname", "getpgrp", "getsid", "membarrier", "gettimeofday",
        // Events and sockets.
        "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "poll", "ppoll", "select",
        "pselect6", "eventfd2", "timerfd_create", "timerfd_settime", "signalfd4", "pipe2", "socket",
        "connect",
        "bind", "listen", "accept4", "getsockname", "getpeername", "getsockopt", "setsockopt", "sendto",
        "recvfrom",
        "sendmsg", "recvmsg", "sendmmsg", "recvmmsg", "shutdown", "socketpair",
    ]

    /// The arguments of strace before the traced command.
    static func arguments(log: String) -> [String] {
        // Writes all bytes in hexadecimal. A question mark lets strace ignore a call that this machine does not have.
        let calls = harmless.map { "?\($0)" }.joined(separator: ",")
        return ["-f", "-xx", "-s", "67108864", "-o", log, "-e", "trace=!\(calls)", "-e", "signal=none"]
    }
}
