import Ferry

/// The disk on which a mirror has its files. It tells the directory of the mirror from that of the disk below, which has its
/// path while its own disk is not mounted.
package struct MirrorDisk: Hashable, Sendable {
    /// The device that the directory was on.
    let device: UInt64
    /// A moment at which it was there, and not empty.
    let noted: Instant

    /// What is in the place of the directory.
    struct Found: Hashable, Sendable {
        /// Whether this is the directory above it, because nothing has its name.
        var isAbove = false
        /// The device that it is on.
        var device: UInt64
        /// When an entry of it was last added, removed or renamed, in nanoseconds since 1970.
        var modified: Int64
        /// Whether it has no entries.
        var isEmpty: Bool
    }

    /// Whether the disk is not mounted: what is found is empty, on another device, and has not changed since the mirror had
    /// its files there.
    ///
    /// The number of a device may change at a boot or a mount. But a directory changes when a file is removed from it, and one
    /// that was made anew has changed later. Some file systems return 1970 for an unknown time.
    func isUnmounted(_ found: Found) -> Bool {
        found.isEmpty && found.device != device && found.modified > 0
            && found.modified / 1_000_000 < noted.milliseconds
    }
}

extension MirrorPlan {
    /// The failure if the disk with the directory is not mounted; `nil` if nothing shows that.
    ///
    /// It must be asked before the directory is made: that changes the one above it.
    ///
    /// - Parameter state: reads how far the mirror has come. It is called only if that directory, or the one above it, is empty.
    package func unmountedDisk(
        _ state: () async throws -> MirrorState?
    ) async throws -> CommandFailure? {
        guard let found = folder.found(), found.isEmpty, let disk = try await state()?.disk,
            disk.isUnmounted(found)
        else { return nil }
        let (finding, command) =
            found.isAbove ? ("missing, and the directory above it is", "mkdir") : ("empty and", "touch")
        return CommandFailure.cannotOpen(
            """
            The disk with the files of this mirror is not mounted: \(QuotedWord(folder.root)) is \(finding) on another \
            device now. Nothing was downloaded or removed.
            """,
            hint: """
                Mount the disk, then repeat the `ferry mirror` line. To mirror to the disk that is there now, type \
                `\(command) \(ShellWord.quoted(folder.root))` first.
                """
        )
    }
}
