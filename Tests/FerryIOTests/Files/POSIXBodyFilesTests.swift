import FerryCore
import Foundation
import Testing

@testable import FerryIO

@Suite struct POSIXBodyFilesTests {
    private let files = POSIXBodyFiles(threads: PartFileDirectory.threads, copies: "/nowhere/bodies")

    /// All bytes of a body, read in pieces of `count` bytes.
    private func read(_ body: RequestBody, by count: Int) throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): return bytes
        case .source(let source):
            var whole: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: count)
            while true {
                let read = try buffer.withUnsafeMutableBytes {
                    try source.read(at: Int64(whole.count), into: $0)
                }
                if Int64(whole.count + read) == source.length { return whole + buffer.prefix(read) }
                if read == 0 { return whole }
                whole += buffer.prefix(read)
            }
        }
    }

    @Test("bytes and files are joined, in whatever pieces they are read", arguments: [1, 2, 3, 7, 100])
    func joins(count: Int) async throws {
        let directory = try PartFileDirectory()
        for (name, bytes) in [("a", [1, 2, 3, 4]), ("b", [9]), ("empty", [])] as [(String, [UInt8])] {
            try directory.write(bytes, to: "\(directory.root)/\(name)")
        }
        var body = StoredBody([10, 11])
        body.append(try await files.pin("\(directory.root)/a"))
        body.append(try await files.pin("\(directory.root)/empty"))
        body.append(try await files.pin("\(directory.root)/b"))
        body.append([12])
        let opened = try await files.open(body)
        #expect(opened.length == 8)
        #expect(try read(opened, by: count) == [10, 11, 1, 2, 3, 4, 9, 12])
    }

    @Test("a single file can be sent by the kernel, and a body without files stays in memory")
    func forms() async throws {
        let directory = try PartFileDirectory()
        try directory.write([1, 2, 3], to: "\(directory.root)/a")
        let opened = try await files.open(StoredBody(files.pin("\(directory.root)/a")))
        guard case .source(let source) = opened else { return #expect(Bool(false), "not read from the file") }
        #expect(source.descriptor != nil && source.length == 3)
        guard case .bytes([5]) = try await files.open(StoredBody([5])) else {
            return #expect(Bool(false), "not in memory")
        }
    }

    /// What another program may do to a file after a request was made.
    enum Change: CaseIterable {
        case removed, replaced, grown, cutShort, rewritten, replacedByADirectory
    }

    @Test("a file that is not the pinned one is not sent", arguments: Change.allCases)
    func changed(change: Change) async throws {
        let directory = try PartFileDirectory()
        let path = "\(directory.root)/a"
        try directory.write([1, 2, 3], to: path)
        let pinned = try await files.pin(path)
        switch change {
        case .removed: try FileManager.default.removeItem(atPath: path)
        case .replaced:
            try directory.write([1, 2, 3], to: path + "2")
            let modified = try #require(pinned.modified)
            let date = Date(timeIntervalSince1970: Double(modified) / 1e9)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path + "2")
            try directory.check(rename(path + "2", path))
        case .grown: try directory.write([1, 2, 3, 4], to: path)
        case .cutShort: try directory.write([1, 2], to: path)
        case .rewritten:
            try directory.write([3, 2, 1], to: path)
            let later = Date(timeIntervalSinceNow: 5)
            try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
        case .replacedByADirectory:
            try FileManager.default.removeItem(atPath: path)
            try directory.check(mkdir(path, 0o755))
        }
        do {
            _ = try await files.open(StoredBody(pinned))
            Issue.record("opened")
        } catch {
            #expect(error.failure.code == .bodyChanged, "\(error.failure)")
            #expect(error.failure.message.contains(path))
            #expect(error.disposition == .permanent)
        }
    }

    @Test(
        "a missing file whose directory is on another device is waited for, and one that is there is judged as it is",
        arguments: ["a", "none/a"]
    )
    func unmounted(name: String) async throws {
        let directory = try PartFileDirectory()
        let entry = FileSurvey.Entry(identity: FileIdentity(device: .max, inode: 1), length: 3, kind: .file)
        let pinned = PinnedFile(path: "\(directory.root)/\(name)", entry)
        for body in [StoredBody(pinned), Self.form(pinned)] {
            let problem = await #expect(throws: Problem.self) { try await files.open(body) }
            #expect(problem?.disposition == .condition(.diskMount))
        }
        let problem = await #expect(throws: Problem.self) { try await files.survey(pinned) }
        #expect(problem?.disposition == .condition(.diskMount))
        #expect(problem?.failure.message.contains(pinned.path) == true)

        guard name == "a" else { return }
        try directory.write([1, 2, 3], to: pinned.path)
        #expect(try await files.survey(pinned).length == 3)
        let other = await #expect(throws: Problem.self) { try await files.open(StoredBody(pinned)) }
        #expect(other?.failure.code == .bodyChanged)
    }

    private static func form(_ file: PinnedFile) -> StoredBody {
        var body = StoredBody([1])
        body.append(file)
        return body
    }

    @Test("a missing file on the same device was removed; the message says what to do")
    func missing() async throws {
        let directory = try PartFileDirectory()
        let path = "\(directory.root)/a"
        try directory.write([1], to: path)
        let pinned = try await files.pin(path)
        try FileManager.default.removeItem(atPath: path)
        let problem = await #expect(throws: Problem.self) { try await files.survey(pinned) }
        #expect(problem?.failure.code == .bodyChanged && problem?.disposition == .permanent)
        #expect(problem?.failure.remedies == [.renameBack(to: path), .retry, .addAgain])
        let refusal = await #expect(throws: StorageProblem.self) { try await files.pin(path) }
        #expect(refusal?.problem.failure.message == "There is no file \(path).")
    }

    @Test("only a regular file can be pinned; links are followed")
    func pins() async throws {
        let directory = try PartFileDirectory()
        try directory.write([1], to: "\(directory.root)/a")
        try directory.check(symlink("\(directory.root)/a", "\(directory.root)/link"))
        #expect(try await files.pin("\(directory.root)/link").length == 1)
        for path in [directory.root, "/dev/null", "\(directory.root)/none", "\(directory.root)/a/b"] {
            await #expect(throws: StorageProblem.self) { try await files.pin(path) }
        }
    }

    @Test("a file of a form is opened when its turn comes, and must still be the pinned one")
    func opensInTurn() async throws {
        let directory = try PartFileDirectory()
        var body = StoredBody()
        for name in ["a", "b"] {
            try directory.write([1, 2, 3], to: "\(directory.root)/\(name)")
            body.append(try await files.pin("\(directory.root)/\(name)"))
        }
        let opened = try await files.open(body)
        // A redirect may send it once more from its start.
        for _ in 0..<2 { #expect(try read(opened, by: 2) == [1, 2, 3, 1, 2, 3]) }
        try directory.write([1, 2, 3, 4], to: "\(directory.root)/b")
        let problem = #expect(throws: Problem.self) { try read(opened, by: 3) }
        #expect(problem?.failure.code == .bodyChanged)
        await #expect(throws: Problem.self) { try await files.open(body) }
    }
}
