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
        // The properties are set at the end: `deinit` would close the file of an initializer that fails later.
        do throws(Errno) {
            let opened = try Platform.openForReading(path)
            do throws(Errno) {
                let found = try FileStatus(of: opened).entry
                guard found.kind == .file else { throw .invalidArgument }
                (self.path, file, entry) = (path, opened, found)
                isSendable = Platform.canSend(opened)
            } catch {
                Platform.close(opened)
                throw error
            }
        } catch {
            throw StorageProblem(error, while: .open, path: path)
        }
    }

    deinit { Platform.close(file) }

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
        if count == 0 { throw changed }
        return count
    }

    package func check() throws(Problem) {
        do throws(Errno) {
            if try FileStatus(of: file).entry == entry { return }
        } catch {
            // A file whose status cannot be read is not known to be the same.
        }
        throw changed
    }

    private var changed: Problem {
        .permanent(.bodyChanged, "\(path) was changed while it was being sent.", remedies: [.addAgain])
    }
}
