package import FerryCore
package import FerrySealed
internal import SystemPackage

/// A regular file that is read in ranges, such as a sealed file.
package final class RangedFile: SealedBytes {
    package let length: Int64
    private let path: String
    private let file: FileDescriptor
    private let threads: IOThreads

    /// Opens a file.
    ///
    /// - Throws: ``StorageProblem`` when it cannot be opened, or is not a regular file.
    package static func open(_ path: String, _ threads: IOThreads) async throws(StorageProblem) -> RangedFile
    {
        try await threads.storage { () throws(StorageProblem) in try RangedFile(path, threads) }
    }

    private init(_ path: String, _ threads: IOThreads) throws(StorageProblem) {
        // The properties are set at the end: `deinit` would close the file of an initializer that fails later.
        do throws(Errno) {
            let opened = try Platform.openForReading(path)
            do throws(Errno) {
                let status = try FileStatus(of: opened)
                guard status.kind == .file else { throw .invalidArgument }
                (length, self.path, file, self.threads) = (status.length, path, opened, threads)
            } catch {
                Platform.close(opened)
                throw error
            }
        } catch {
            guard error == .invalidArgument else { throw StorageProblem(error, while: .open, path: path) }
            let message = "\(path) is not a regular file, so no part of it can be read."
            throw StorageProblem(.permanent(.cannotOpen, message), errno: error.rawValue)
        }
    }

    deinit { Platform.close(file) }

    package func bytes(_ range: Range<Int64>) async throws(StorageProblem) -> [UInt8] {
        try await threads.storage { [self] () throws(StorageProblem) in
            do throws(Errno) {
                return try read(range)
            } catch {
                throw StorageProblem(error, while: .read, path: path)
            }
        }
    }

    private func read(_ range: Range<Int64>) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
        var span = bytes.mutableSpan
        let count = try span.withUnsafeMutableBytes { (buffer) throws(Errno) in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                let count = try Platform.read(into: rest, from: file, at: range.lowerBound + Int64(done))
                if count == 0 { break }
                done += count
            }
            return done
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    package func failure(_ problem: SealedProblem) -> any Error { problem }
}
