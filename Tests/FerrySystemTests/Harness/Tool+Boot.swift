extension Tool {
    static let unshare = Tool("unshare")

    /// Whether this user may show a process another boot ID, in a new mount namespace.
    static let canChangeBoot: Bool = {
        guard let path = unshare.path else { return false }
        let line = "mount --bind /dev/null /proc/sys/kernel/random/boot_id"
        return Launch(
            executable: path,
            arguments: ["-m", "sh", "-c", line],
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
            directory: "/"
        ).succeeds
    }()
}
