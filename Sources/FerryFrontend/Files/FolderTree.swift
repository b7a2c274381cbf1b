import Glibc

/// Directories below a directory, with names that a server chose. No link leads out of it (I6).
struct FolderTree {
    private let root: String

    init(_ root: String) { self.root = root }

    /// Makes a directory that the user named, and those above it, as far as they are not there.
    ///
    /// - Throws: ``CommandFailure`` with status 16 if one cannot be made.
    static func make(_ path: String) throws(CommandFailure) {
        guard mkdir(path, 0o777) != 0 else { return try synchronizeName(of: path) }
        if errno == ENOENT, path != "/" {
            try make(FilePath.split(path).directory)
            if mkdir(path, 0o777) == 0 { return try synchronizeName(of: path) }
        }
        guard errno != EEXIST || !FilePath.isDirectory(path) else { return }
        throw failure(path, OpenFolder.Problem(number: errno == EEXIST ? ENOTDIR : errno))
    }

    private static func synchronizeName(of path: String) throws(CommandFailure) {
        do throws(OpenFolder.Problem) {
            try OpenFolder.synchronizeName(of: path)
        } catch {
            throw failure(path, error)
        }
    }

    /// Makes those of the directories that do not exist. They survive a power loss.
    ///
    /// - Parameter paths: their paths below the directory, without `.` and `..`.
    /// - Throws: ``CommandFailure`` with status 16 if one cannot be made, or is a link or a file.
    func make(_ paths: [String]) throws(CommandFailure) {
        guard !paths.isEmpty else { return }
        // Where it fails.
        var place = root
        do throws(OpenFolder.Problem) {
            let base = try OpenFolder(at: root)
            // Many have the same parent, which is synced once.
            var parents: Set<[UInt8]> = []
            for path in paths { try make(path, below: base, &parents, &place) }
            for parent in parents {
                let path = String(decoding: parent, as: UTF8.self)
                place = "\(root)/\(path)"
                try base.folder(at: path).synchronize()
            }
        } catch {
            throw Self.failure(place, error)
        }
    }

    /// - Parameters:
    ///   - parents: gets the paths of the directories in which others were made.
    ///   - place: gets the path of the directory that is made or opened.
    private func make(
        _ path: String,
        below base: OpenFolder,
        _ parents: inout Set<[UInt8]>,
        _ place: inout String
    ) throws(OpenFolder.Problem) {
        var (parent, above) = (base, "")
        for part in path.utf8.split(separator: UInt8(ascii: "/")) {
            let name = String(Substring(part))
            let path = above.isEmpty ? name : "\(above)/\(name)"
            place = "\(root)/\(path)"
            if try parent.make(name) { parents.insert(Array(above.utf8)) }
            (parent, above) = (try parent.folder(at: name), path)
        }
    }

    private static func failure(_ path: String, _ problem: OpenFolder.Problem) -> CommandFailure {
        let reason = problem.isNoDirectory ? "It is a link or a file" : problem.text
        return CommandFailure(
            .cannotCreate,
            code: "cannotCreate",
            "Cannot save into the directory \(QuotedWord(path)): \(reason). Nothing was downloaded or added.",
            hint: problem.isNoDirectory ? "Use another directory with -d." : nil
        )
    }
}
