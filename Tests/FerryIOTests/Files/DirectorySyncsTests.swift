import Dispatch
import FerryCore
import Synchronization
import Testing

@testable import FerryIO

@Suite("Shared syncs of a directory", .timeLimit(.minutes(10)))
struct DirectorySyncsTests {
    /// Syncs that wait until the test lets them end, and the numbers of the tasks that were notified.
    private final class HeldSyncs: Sendable {
        private let begun = AsyncStream.makeStream(of: FileIdentity.self)
        private let told = AsyncStream.makeStream(of: (number: Int, problem: StorageProblem?).self)
        private let ends = DispatchSemaphore(value: 0)
        private let problem = Mutex<StorageProblem?>(nil)

        func run(_ directory: DirectoryHandle) throws(StorageProblem) {
            begun.continuation.yield(directory.identity)
            ends.wait()
            if let problem = problem.withLock({ $0 }) { throw problem }
        }

        /// Lets one sync end, well or not.
        func letOneEnd(with problem: StorageProblem? = nil) {
            self.problem.withLock { $0 = problem }
            ends.signal()
        }

        func tell(_ number: Int, _ result: Result<Void, StorageProblem>) {
            var problem: StorageProblem?
            if case .failure(let failure) = result { problem = failure }
            told.continuation.yield((number, problem))
        }

        func nextBegun() async -> FileIdentity? { await begun.stream.first { _ in true } }

        /// The next who are told, by their numbers.
        func nextTold(_ count: Int) async -> [Int: StorageProblem?] {
            var all: [Int: StorageProblem?] = [:]
            for await (number, problem) in told.stream.prefix(count) { all[number] = .some(problem) }
            return all
        }
    }

    private let threads = IOThreads(count: 2)
    private let held = HeldSyncs()
    private let syncs: DirectorySyncs

    init() {
        let held = held
        syncs = DirectorySyncs { directory throws(StorageProblem) in try held.run(directory) }
    }

    /// Joins on a thread that may wait.
    private func join(_ directory: DirectoryHandle, as number: Int) {
        threads.submit { [syncs, held] _ in
            syncs.join(directory) { held.tell(number, $0) }
        }
    }

    /// Returns when all who were to join have: while one thread is in a sync, the other one takes them in order.
    private func allHaveJoined() async throws { try await threads.run {} }

    @Test("tasks that arrive during a sync wait for the next one, which serves all of them")
    func oneServesAllWhoWait() async throws {
        let directory = try PartFileDirectory()
        let first = try DirectoryHandle(directory.directory)
        let second = try DirectoryHandle(directory.directory)
        join(first, as: 0)
        #expect(await held.nextBegun() == first.identity)
        for number in 1...5 { join(number.isMultiple(of: 2) ? first : second, as: number) }
        try await allHaveJoined()
        held.letOneEnd()
        #expect(await held.nextTold(1).keys.sorted() == [0])
        #expect(await held.nextBegun() == first.identity)
        // This one comes too late for the second sync.
        join(first, as: 6)
        try await allHaveJoined()
        held.letOneEnd()
        #expect(await held.nextTold(5).keys.sorted() == [1, 2, 3, 4, 5])
        #expect(await held.nextBegun() == first.identity)
        held.letOneEnd()
        #expect(await held.nextTold(1).keys.sorted() == [6])
        try await threads.shutdown()
    }

    @Test("a failed sync is reported to the tasks that it serves, and to all later ones of the same handle")
    func failureIsTold() async throws {
        let directory = try PartFileDirectory()
        let handle = try DirectoryHandle(directory.directory)
        let problem = StorageProblem.defect("the disk is broken")
        join(handle, as: 0)
        _ = await held.nextBegun()
        for number in 1...2 { join(handle, as: number) }
        try await allHaveJoined()
        held.letOneEnd()
        #expect(await held.nextTold(1) == [0: nil])
        _ = await held.nextBegun()
        join(handle, as: 3)
        try await allHaveJoined()
        held.letOneEnd(with: problem)
        // The kernel would say of what was lost that it is there.
        #expect(await held.nextTold(3) == [1: problem, 2: problem, 3: problem])
        join(try DirectoryHandle(directory.directory), as: 4)
        _ = await held.nextBegun()
        held.letOneEnd()
        #expect(await held.nextTold(1) == [4: nil])
        try await threads.shutdown()
    }

    @Test("a sync does not wait for another directory")
    func directoriesAreApart() async throws {
        let directories = [try PartFileDirectory(), try PartFileDirectory()]
        let handles = try directories.map { try DirectoryHandle($0.directory) }
        for (number, handle) in handles.enumerated() { join(handle, as: number) }
        let begun = [await held.nextBegun(), await held.nextBegun()]
        #expect(Set(begun) == Set(handles.map(\.identity)))
        for _ in handles { held.letOneEnd() }
        #expect(await held.nextTold(2).keys.sorted() == [0, 1])
        try await threads.shutdown()
    }
}
