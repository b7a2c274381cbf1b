#if os(Linux)
import FerryCore
import Foundation
import Testing

@testable import FerryIO
import FerryTesting

/// How an owner proves that it lives to those who cannot see its process.
@Suite struct OwnerLocksTests {
    private let stage: PartFileDirectory
    private let owner: LinuxHostInspector
    private let other: LinuxHostInspector

    init() throws {
        stage = try PartFileDirectory()
        // As in a container, which does not see the processes of others.
        owner = try LinuxHostInspector(directory: stage.directory, initialNamespace: 1)
        other = try LinuxHostInspector(directory: stage.directory, initialNamespace: 1)
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
        // One of another boot may live in a container that shows its own, and one of this namespace can be looked for.
        var former = process
        former.boot = BootID(rawValue: "another")
        #expect(other.life(of: former) == .unproved)
        var near = process
        near.namespace = other.currentProcess.namespace
        #expect(other.life(of: near) == .dead)
        near.pid = other.currentProcess.pid
        #expect(other.life(of: near) == .alive)
    }

    @Test(arguments: ["removed", "copied", "emptied"])
    func takesASeatAgainWhereOthersLook(_ damage: String) async throws {
        let former = try await enrolElsewhere()
        let path = stage.directory + "/ferry.owners"
        switch damage {
        case "removed": try FileManager.default.removeItem(atPath: path)
        case "copied":
            try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
            #expect(rename(path + ".copy", path) == 0)
        default: #expect(truncate(path, 0) == 0)
        }
        #expect(other.life(of: former) == .unproved)
        let process = try await enrolElsewhere()
        #expect(process.seat != former.seat)
        #expect(try await enrolElsewhere() == process)
        #expect(other.life(of: process) == .alive)
        // Its row may still say the former one.
        #expect(owner.life(of: former) == .alive)
        owner.resign()
        #expect(other.life(of: process) == .dead)
    }

    @Test func keepsItsFormerSeatUntilItHasAThird() async throws {
        let first = try await enrolElsewhere()
        let path = stage.directory + "/ferry.owners"
        #expect(rename(path, path + ".aside") == 0)
        _ = try await enrolElsewhere()
        #expect(rename(path + ".aside", path) == 0)
        #expect(other.life(of: first) == .alive, "its row says the first still")
        let third = try await enrolElsewhere()
        #expect(other.life(of: third) == .alive)
    }

    @Test(arguments: ["directory", "FIFO", "link"])
    func saysWhatIsWrongWithWhatHasItsName(_ kind: String) async throws {
        let process = try await enrolElsewhere()
        let path = stage.directory + "/ferry.owners"
        try FileManager.default.removeItem(atPath: path)
        switch kind {
        case "directory": #expect(mkdir(path, 0o700) == 0)
        case "FIFO": #expect(mkfifo(path, 0o600) == 0)
        default: #expect(symlink("elsewhere", path) == 0)
        }
        #expect(other.life(of: process) == .unproved)
        for inspector in [owner, other] {
            do {
                _ = try await inspector.enrol()
                Issue.record("a \(kind) holds no locks")
            } catch {
                #expect("\(error)".contains("it is not a regular file"), "\(error)")
            }
        }
        #expect(owner.life(of: process) == .alive, "it has its lock still")
    }

    @Test func inTheInitialNamespaceAProcessThatIsNotListedIsDead() throws {
        let namespace = owner.currentProcess.namespace
        let host = try LinuxHostInspector(directory: stage.directory, initialNamespace: namespace)
        var process = owner.currentProcess
        (process.pid, process.namespace) = (.max, namespace + 1)
        // Where /proc hides what others run, nothing is proved.
        let seesAll = ProcessTable.lacks(process)
        #expect(host.life(of: process) == (seesAll ? .dead : .unproved))
        #expect(other.life(of: process) == .unproved)
        process.namespace = 0
        #expect(host.life(of: process) == .unproved)
    }

    @Test(arguments: [
        ("Name:\tferry\nNSpid:\t41\t7\t1\nNSpgid:\t41\n", [Int32(41), 7, 1]),
        ("NSpid:\t41\n", [41]), ("NSpid:\n", nil), ("Pid:\t41\n", nil), ("NSpid:\t41\tx\n", nil), ("", nil),
    ])
    func readsTheNumbersOfAProcess(_ text: String, _ numbers: [Int32]?) {
        #expect(ProcessTable.numbers(in: Array(text.utf8)) == numbers)
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
