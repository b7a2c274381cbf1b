import Glibc

extension Tool {
    static let unshare = Tool("unshare")

    /// Whether this user may show a process another boot ID, in a new mount namespace.
    static let canChangeBoot: Bool = {
        guard let path = unshare.path else { return false }
        let line = "mount --bind /dev/null /proc/sys/kernel/random/boot_id"
        let launch = Launch(
            executable: path,
            arguments: ["-m", "sh", "-c", line],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
            directory: "/"
        )
        guard let pid = try? launch.spawn(outputTo: "/dev/null", errorsTo: "/dev/null") else { return false }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
    }()
}
