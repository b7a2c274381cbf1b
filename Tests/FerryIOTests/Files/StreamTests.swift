import FerryCore
import FerryTesting
import Foundation
import SystemPackage
import Testing

@testable import FerryIO

@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    init() {
        signal(SIGPIPE, SIG_IGN)
    }

    private let fileSystem = POSIXPartFileSystem(threads: PartFileDirectory.threads)

    /// The two ends of a pipe, each as a number.
    private func pipeEnds() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        return (ends[0], ends[1])
    }

    private func readAll(_ descriptor: Int32) throws -> [UInt8] {
        try Array(FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data())
    }

    @Test func writesInOrderToADescriptorThatItWasGiven() async throws {
        let (reader, writer) = try pipeEnds()
        let stream = try await fileSystem.openStream(path: "/dev/fd/\(writer)", digest: nil)
        // The stream has a descriptor of its own.
        close(writer)
        try stream.write([1, 2, 3], at: 0)
        try stream.write([4], at: 3)
        await stream.close()
        #expect(try readAll(reader) == [1, 2, 3, 4])
        close(reader)
    }

    @Test(arguments: [Int64(0), 2, 4, -1])
    func refusesBytesOutOfOrder(_ offset: Int64) async throws {
        let stream = try await fileSystem.openStream(path: "/dev/null", digest: nil)
        try stream.write([1, 2, 3], at: 0)
        let problem = try await problem { try stream.write([9], at: offset) }
        #expect(problem?.problem.failure.code == .internalFault)
        try stream.write([4], at: 3)
        await stream.close()
    }

    @Test func appendsToTheFileThatTheShellOpened() async throws {
        let stage = try PartFileDirectory()
        let path = stage.directory + "/log"
        try stage.write([1], to: path)
        let file = open(path, O_WRONLY | O_APPEND)
        let stream = try await fileSystem.openStream(path: "/dev/fd/\(file)", digest: nil)
        try stream.write([2, 3], at: 0)
        await stream.close()
        close(file)
        #expect(try stage.contents(of: FileName(userGiven: "log")) == [1, 2, 3])
    }

    @Test func saysThatTheReaderHasGoneAndStaysLost() async throws {
        // Sockets, since a reader can be told to go: a pipe's is still there while a process that another test starts
        // has a copy of it.
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let stream = try await fileSystem.openStream(path: "/dev/fd/\(writer)", digest: nil)
        shutdown(reader, Int32(SHUT_RD))
        defer {
            close(reader)
            close(writer)
        }
        for _ in 0..<2 {
            let problem = try await problem { try stream.write([1], at: 0) }
            #expect(problem?.problem.failure.code == .streamLost)
            #expect(problem?.problem.disposition == .permanent)
        }
        await stream.close()
    }

    @Test(arguments: [true, false])
    func aWriteThatWaitsForTheReaderCanBeInterrupted(isPipe: Bool) async throws {
        var ends: [Int32] = [0, 0]
        if isPipe {
            (ends[0], ends[1]) = try pipeEnds()
        } else {
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        }
        defer { for end in ends { close(end) } }
        let stream = try await fileSystem.openStream(path: "/dev/fd/\(ends[1])", digest: .sha256)
        let ended = Watched(false)
        async let failure: StorageProblem? = withCheckedContinuation { continuation in
            // A thread that may wait for the reader.
            Thread.detachNewThread {
                let result = Result { () throws(StorageProblem) in
                    try stream.write([UInt8](repeating: 1, count: 8 << 20), at: 0)
                }
                ended.withLock { $0 = true }
                guard case .failure(let problem) = result else { return continuation.resume(returning: nil) }
                continuation.resume(returning: problem)
            }
        }
        // It has begun when there is something to read.
        var entry = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) == 0, !ended.withLock({ $0 }) { await Task.yield() }
        stream.interrupt()
        #expect(await failure?.problem.failure.code == .streamLost)
        await stream.close()
    }

    /// What never waits is written in one piece, however long.
    @Test func onlyAStreamWithAReaderCanWait() throws {
        let (reader, writer) = try pipeEnds()
        let null = open("/dev/null", O_WRONLY)
        let file = open(#filePath, O_RDONLY)
        defer { for descriptor in [reader, writer, null, file] { close(descriptor) } }
        #expect(Platform.canWait(FileDescriptor(rawValue: writer)))
        #expect(!Platform.canWait(FileDescriptor(rawValue: null)))
        #expect(!Platform.canWait(FileDescriptor(rawValue: file)))
    }

    @Test func waitsForTheReaderOfAFIFO() async throws {
        let stage = try PartFileDirectory()
        let name = try FileName(userGiven: "fifo")
        try stage.put(.stream, [], as: name)
        let path = stage.path(name)
        async let read = PartFileDirectory.threads.run {
            let reader = open(path, O_RDONLY)
            defer { close(reader) }
            return try Array(FileHandle(fileDescriptor: reader, closeOnDealloc: false).readToEnd() ?? Data())
        }
        // Lets a reader go that still waits for a writer when the test fails.
        defer { withExtendedLifetime(stage) { _ = close(open(path, O_RDWR | O_NONBLOCK)) } }
        let stream = try await fileSystem.openStream(path: path, digest: nil)
        // More than a pipe holds, so that writes have to wait too.
        let bytes = [UInt8](repeating: 7, count: 300_000)
        try await PartFileDirectory.threads.run { try stream.write(bytes, at: 0) }
        await stream.close()
        #expect(try await read == bytes)
        #expect(try await fileSystem.survey(stage.place("fifo")).final?.kind == .stream)
    }

    @Test func stopsWaitingForAReaderWhenItIsCancelled() async throws {
        let stage = try PartFileDirectory()
        let name = try FileName(userGiven: "fifo")
        try stage.put(.stream, [], as: name)
        let path = stage.path(name)
        let fileSystem = fileSystem
        let task = Task { _ = try await fileSystem.openStream(path: path, digest: nil) }
        task.cancel()
        let problem = try await problem { try await task.value }
        #expect(problem?.problem.failure.code == .streamLost)
    }

    @Test func refusesWhatIsNoStream() async throws {
        let stage = try PartFileDirectory()
        try stage.put(.file, [1], as: FileName(userGiven: "file"))
        for (path, word) in [
            (stage.directory + "/file", "a regular file"), (stage.directory, "a directory"),
            (stage.directory + "/missing", "does not exist"), ("/dev/fd/9999", "not open"),
        ] {
            let problem = try await problem { _ = try await fileSystem.openStream(path: path, digest: nil) }
            #expect(problem?.problem.failure.code == .cannotCreate)
            #expect(problem?.problem.disposition == .permanent)
            #expect(problem?.problem.failure.message.contains(word) == true, "\(String(describing: problem))")
        }
        #expect(try stage.contents(of: FileName(userGiven: "file")) == [1])
    }

    @Test func leavesStandardOutputOpen() async throws {
        let stream = try await fileSystem.openStream(path: "-", digest: nil)
        await stream.close()
        await stream.close()
        #expect(fcntl(1, F_GETFD) != -1)
    }

    @Test func aFullDeviceEndsTheStream() async throws {
        let stream = try await fileSystem.openStream(path: "/dev/full", digest: nil)
        let problem = try await problem { try stream.write([1, 2], at: 0) }
        #expect(problem?.problem.failure.code == .diskFull)
        #expect(problem?.problem.disposition == .permanent)
        await stream.close()
    }
}
