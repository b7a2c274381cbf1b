package import FerryCore
internal import SystemPackage

/// A file as the body of a request. Its length, its identity and the time of its last change are noted when it is
/// opened. Once one of them differs, no more of the file is sent.
package final class FileBodySource: BodySource {
    private let path: String
    private let file: FileDescriptor
    private let entry: FileSurvey.Entry
    /// Whether the kernel can send the file by itself.
    private let isSendable: Bool

    /// Opens a file. Blocks.
    ///
    /// - Throws: ``StorageProblem`` when it cannot be opened, or is not a regular file.
    package init(_ path: String) throws(StorageProblem) {
        var isEmpty = false
        // The properties are set at the end: `deinit` would close the file of an initializer that fails later.
        do throws(Errno) {
            let opened = try Platform.openForReading(path)
            do throws(Errno) {
                let found = try FileStatus(of: opened).entry
                guard found.kind == .file else { throw .invalidArgument }
                isEmpty = found.length == 0
                // Files of the kernel, such as those in /proc, have a content that their length does not tell.
                let last = found.length > 0 ? found.length - 1 : 0
                let hasByte = try Platform.hasByte(at: last, in: opened)
                guard hasByte == (found.length > 0) else { throw .invalidArgument }
                (self.path, file, entry) = (path, opened, found)
                isSendable = Platform.canSend(opened)
            } catch {
                Platform.close(opened)
                throw error
            }
        } catch {
            switch error {
            case .invalidArgument: throw Self.notAFile(path)
            case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
                let message = "There is no file \(path)."
                throw StorageProblem(.permanent(.cannotOpen, message), errno: error.rawValue)
            // An empty file has nothing on the disk: this is rather a file of the kernel, such as /proc/self/mem.
            case .ioError where isEmpty: throw Self.unreadable(path)
            default: throw StorageProblem(error, while: .open, path: path)
            }
        }
    }

    private static func notAFile(_ path: String) -> StorageProblem {
        let message = "\(path) is not a regular file with a known length, so it cannot be sent."
        return StorageProblem(
            .permanent(.cannotOpen, message, remedies: [.sendCopy]),
            errno: Errno.invalidArgument.rawValue
        )
    }

    /// Transient: a file system that has failed refuses to read any file.
    private static func unreadable(_ path: String) -> StorageProblem {
        let message = "\(path) cannot be read (\(Errno.ioError.description)), so it cannot be sent."
        return StorageProblem(
            .transient(.cannotOpen, message, remedies: [.sendCopy]),
            errno: Errno.ioError.rawValue
        )
    }

    /// Opens the file that is at the path of a pinned one now, changed or not. Blocks.
    ///
    /// - Throws: ``Problem`` when it cannot be opened: `bodyChanged` when it is gone, and a condition when its disk is not mounted.
    package convenience init(presentOf pinned: PinnedFile, at path: String) throws(Problem) {
        do throws(StorageProblem) {
            try self.init(path)
        } catch {
            switch Errno(rawValue: error.errno) {
            case .noSuchFileOrDirectory, .notDirectory:
                throw pinned.isMissingWithDisk(at: path)
                    ? Problem.bodyUnmounted(path) : Problem.bodyMissing(path, pinned)
            case .invalidArgument:
                throw Self.changed("\(path) is no longer a file, so it was not sent.")
            default: throw error.problem
            }
        }
    }

    /// Opens a file as it was pinned. Blocks.
    ///
    /// - Parameter path: the path under which it is now.
    /// - Throws: ``Problem`` when it cannot be opened: `bodyChanged` when it is gone, or is not the pinned file, and a condition
    ///   when its disk is not mounted.
    package convenience init(_ pinned: PinnedFile, at path: String) throws(Problem) {
        try self.init(presentOf: pinned, at: path)
        guard pinned.matches(entry) else {
            throw Self.changed("\(path) was changed before it was sent, so it was not sent.")
        }
    }

    deinit { Platform.close(file) }

    /// The file as it was when it was opened.
    var pinned: PinnedFile { PinnedFile(path: path, entry) }

    /// The length of the file in bytes.
    var fileLength: Int64 { entry.length }

    package var length: Int64? { entry.length }

    package var descriptor: CInt? { isSendable ? file.rawValue : nil }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Problem) -> Int {
        try check()
        let count: Int
        do throws(Errno) {
            count = try Platform.read(into: buffer, from: file, at: offset)
        } catch {
            throw StorageProblem(error, while: .read, path: path).problem
        }
        if count == 0 { throw changedMeanwhile }
        return count
    }

    package func check() throws(Problem) {
        let found: FileSurvey.Entry
        do throws(Errno) {
            found = try FileStatus(of: file).entry
        } catch {
            throw StorageProblem(error, while: .read, path: path).problem
        }
        guard found == entry else { throw changedMeanwhile }
    }

    private var changedMeanwhile: Problem { Self.changed("\(path) was changed while it was being sent.") }

    private static func changed(_ message: String) -> Problem {
        .permanent(.bodyChanged, message, remedies: [.addAgain])
    }
}

extension PinnedFile {
    /// Whether the disk of a missing file is probably not mounted: the directory is on another device than the file was. A mount
    /// point may be removed with its disk, so the nearest directory that exists is looked at.
    ///
    /// A copy is on the disk of the store.
    fileprivate func isMissingWithDisk(at path: String) -> Bool {
        guard !isCopy, let device = MountPoint.device(above: path) else { return false }
        return device != identity.device
    }
}
