import Testing

/// Linux-only code is in one folder, so that another platform needs only that folder.
@Suite("Platform")
struct PlatformConditionTests {
    static let folders = ["Sources/FerryIO/Platform/", "Sources/CFerryPlatform/"]
    static let marks = [
        "os(Linux)", "\"/proc/", "epoll_", "inotify_", "io_uring", "signalfd(", "O_TMPFILE", "renameat2",
    ]

    /// Places that name one of them with a reason: the file and a piece of the line.
    static let allowed: [(path: String, piece: String)] = [
        // Where a stream's name comes from: these names denote descriptors the process already has.
        ("Sources/FerryIO/Files/StreamOpening.swift", "for prefix in [\"/dev/fd/\", \"/proc/self/fd/\"]")
    ]

    @Test("no code outside that folder uses Linux-only features")
    func linuxIsHidden() {
        var violations: [String] = []
        for file in House.sources + House.examples where !Self.folders.contains(where: file.path.hasPrefix) {
            for mark in Self.marks {
                violations += file.mentions(of: mark).filter { mention in
                    !Self.allowed.contains { file.path == $0.path && mention.contains($0.piece) }
                }
            }
        }
        #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
    }
}
