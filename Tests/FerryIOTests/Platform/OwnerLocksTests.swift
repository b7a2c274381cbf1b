#if os(Linux)
import FerryCore
import Foundation
import Testing

@testable import FerryIO

/// How an owner proves that it lives to those who cannot see its process.
@Suite struct OwnerLocksTests {
    private let stage: TemporaryDirectory
    private let owner: LinuxHostInspector
    private let other: LinuxHostInspector

    init() throws {
        stage = try TemporaryDirectory()
        owner = try LinuxHostInspector(directory: stage.directory)
        other = try LinuxHostInspector(directory: stage.directory)
    }

    /// A process as it is known to those in other PID namespaces.
    private func enrolElsewhere() async throws -> ProcessIdentity {
        var process = try await owner.enrol()
        process.namespace += 1
        process.pid = .max
        return process
    }

    @Test func itsLockShowsThatItLives() async throws {
        let process = try await enrolElsewhere()
        #expect(process.seat != nil)
        #expect(other.life(of: process) == .alive)
        #expect(owner.life(of: process) == .alive)
        owner.resign()
        #expect(other.life(of: process) == .dead)
        #expect(owner.life(of: process) == .dead)
    }

    @Test func ownersOfOneStoreHaveDifferentSeats() async throws {
        let first = try await owner.enrol()
        #expect(try await owner.enrol() == first)
        let second = try await other.enrol()
        #expect(first.seat?.file == second.seat?.file)
        #expect(first.seat?.place != second.seat?.place)
        other.resign()
        #expect(owner.life(of: first) == .alive && owner.life(of: second) == .dead)
    }

    @Test func manyThatBeginTogetherAgreeOnOneFile() async throws {
        let inspectors = try (0..<32).map { _ in try LinuxHostInspector(directory: stage.directory) }
        let processes = try await withThrowingTaskGroup(of: ProcessIdentity.self) { group in
            for inspector in inspectors { group.addTask { try await inspector.enrol() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(processes.map(\.seat?.file)).count == 1)
        #expect(Set(processes.map(\.seat?.place)).count == inspectors.count)
        #expect(processes.allSatisfy { other.life(of: $0) == .alive })
        _ = inspectors
    }

    @Test(arguments: [false, true])
    func nothingIsProvedWhenItsFileWasRemoved(isMadeAgain: Bool) async throws {
        let process = try await enrolElsewhere()
        try FileManager.default.removeItem(atPath: stage.directory + "/ferry.owners")
        if isMadeAgain { _ = try await other.enrol() }
        #expect(other.life(of: process) == .unproved)
        // One of another boot is gone, and one of this namespace can be looked for.
        var former = process
        former.boot = BootID(rawValue: "another")
        #expect(other.life(of: former) == .dead)
        var near = process
        near.namespace = other.currentProcess.namespace
        #expect(other.life(of: near) == .dead)
        near.pid = other.currentProcess.pid
        #expect(other.life(of: near) == .alive)
    }

    @Test func aCopyOfItsFileProvesNoDeath() async throws {
        let process = try await enrolElsewhere()
        let path = stage.directory + "/ferry.owners"
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
        #expect(other.life(of: process) == .unproved)
    }

    @Test func aLockProvesMoreThanTheBoot() async throws {
        var process = try await enrolElsewhere()
        process.boot = BootID(rawValue: "another")
        #expect(other.life(of: process) == .alive)
    }

    @Test func withoutALockOneOfAnotherNamespaceIsNotTakenForDead() throws {
        var process = owner.currentProcess
        process.pid = .max
        #expect(owner.life(of: process) == .dead)
        for namespace in [0, process.namespace + 1] {
            process.namespace = namespace
            #expect(owner.life(of: process) == .unproved)
        }
    }

    @Test func aFileThatWasNotWrittenToItsEndGetsItsNumber() async throws {
        try Data("12".utf8).write(to: URL(fileURLWithPath: stage.directory + "/ferry.owners"))
        let process = try await owner.enrol()
        #expect(other.life(of: process) == .alive)
    }

    @Test func nothingIsTakenWhereTheDirectoryCannotBeWritten() async throws {
        let inspector = try LinuxHostInspector(directory: stage.directory + "/missing")
        await #expect(throws: StoreError.self) { _ = try await inspector.enrol() }
    }
}
#endif
