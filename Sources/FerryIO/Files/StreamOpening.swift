internal import FerryCore
internal import SystemPackage

/// Opens a stream: standard output, an inherited descriptor, a FIFO or a device.
struct StreamOpening {
    /// The destination of the bytes: `-`, or a path.
    let path: String
    /// The threads for calls that block.
    let threads: IOThreads

    /// Opens it for writing.
    ///
    /// Like a shell's redirection, it waits until a FIFO has a reader. The wait holds no thread and ends when
    /// the task is cancelled. A thread that sleeps in `open(2)` could not be woken, and the first Ctrl-C
    /// would hang.
    func open() async throws(StorageProblem) -> FileDescriptor {
        if let number = Self.inheritedDescriptor(path) {
            return try await threads.storage { () throws(StorageProblem) in try duplicate(number) }
        }
        var pause = Duration.milliseconds(2)
        while true {
            let descriptor = try await threads.storage { () throws(StorageProblem) in try openIfReady() }
            if let descriptor { return descriptor }
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw StorageProblem(
                    .transient(
                        .streamLost,
                        "No process opened \(path) for reading before the transfer was stopped."
                    ),
                    errno: Errno.noSuchAddressOrDevice.rawValue
                )
            }
            pause = min(pause * 2, .milliseconds(100))
        }
    }

    /// The number of the open descriptor that a path names.
    ///
    /// Such a path is not opened again. That would be another open file at position 0, but the shell may have
    /// opened it for appending. A socket could not be opened at all.
    static func inheritedDescriptor(_ path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return 1
        case "/dev/stderr": return 2
        default:
            for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
                guard let number = Int32(path.dropFirst(prefix.count)), number >= 0 else { return nil }
                return number
            }
            return nil
        }
    }

    private func duplicate(_ number: Int32) throws(StorageProblem) -> FileDescriptor {
        let given = FileDescriptor(rawValue: number)
        if let own = Platform.reopenWithoutBlocking(given) { return own }
        do {
            return try Platform.duplicate(given)
        } catch {
            throw StorageProblem(error, while: .openStream, path: name)
        }
    }

    /// Opens the FIFO or device; `nil` while the FIFO has no reader.
    private func openIfReady() throws(StorageProblem) -> FileDescriptor? {
        do {
            // Check first: opening something else for writing might change it.
            let kind = try FileStatus(following: path).kind
            guard kind == .stream else { throw StorageProblem.notAStream(path, kind) }
            let descriptor: FileDescriptor
            do {
                descriptor = try Platform.openForStreaming(path)
            } catch {
                // A missing device reports the same error as a FIFO without a reader.
                guard error == .noSuchAddressOrDevice, try Platform.isFIFO(path) else { throw error }
                return nil
            }
            do {
                let opened = try FileStatus(of: descriptor).kind
                guard opened == .stream else { throw StorageProblem.notAStream(path, opened) }
                // Only a FIFO and a terminal can be waited for without a write.
                if try !Platform.isFIFO(path), !Platform.isTerminal(descriptor) {
                    try Platform.makeBlocking(descriptor)
                }
                return descriptor
            } catch {
                Platform.close(descriptor)
                throw error
            }
        } catch let error as Errno {
            throw StorageProblem(error, while: .openStream, path: path)
        } catch let problem as StorageProblem {
            throw problem
        } catch {
            throw .defect("Opening \(path) failed in a way that has no number.")
        }
    }

    /// The path as shown in messages.
    private var name: String { path == "-" ? "standard output" : path }
}

extension StorageProblem {
    /// A path that should be a stream is something else.
    fileprivate static func notAStream(_ path: String, _ kind: FileSurvey.Kind) -> StorageProblem {
        let thing =
            switch kind {
            case .file: "a regular file"
            case .directory: "a directory"
            case .symbolicLink: "a symbolic link"
            case .stream, .other: "something else"
            }
        return StorageProblem(
            .permanent(
                .cannotCreate,
                "\(path) is \(thing), not a FIFO or a device.",
                remedies: [.chooseOtherName]
            ),
            errno: 0
        )
    }
}
