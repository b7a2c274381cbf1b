#if os(Linux)
import FerryCore
import Foundation
import Testing

@testable import FerryIO

@Suite struct HostInspectorTests {
    @Test func knowsThisProcessAndThisBoot() throws {
        let inspector = try LinuxHostInspector(directory: "/nowhere")
        #expect(inspector.currentProcess.pid == getpid())
        #expect(inspector.currentProcess.boot == inspector.boot)
        #expect(inspector.boot.rawValue.utf8.count == 36)
        #expect(inspector.life(of: inspector.currentProcess) == .alive)
        #expect(inspector.currentProcess.namespace != 0)
        #expect(try LinuxHostInspector(directory: "/nowhere").currentProcess == inspector.currentProcess)
    }

    @Test func tellsARecycledNumberByItsStartTime() throws {
        let inspector = try LinuxHostInspector(directory: "/nowhere")
        for difference in [-1, 1] {
            var process = inspector.currentProcess
            process.startTime = UInt64(Int64(process.startTime) + Int64(difference))
            #expect(inspector.life(of: process) == .dead)
        }
    }

    /// It may be alive in a container that shows another boot ID.
    @Test func declaresNoProcessOfAnotherBootDeadWhoseLockCannotBeAsked() throws {
        let inspector = try LinuxHostInspector(directory: "/nowhere")
        var process = inspector.currentProcess
        process.boot = BootID(rawValue: "00000000-0000-0000-0000-000000000000")
        process.seat = ProcessIdentity.Seat(file: 1, place: 1)
        process.namespace &+= 1
        #expect(inspector.life(of: process) == .unproved)
    }

    /// The machine was restarted, and the data directory copied from a backup, so that no lock can be asked.
    @Test func takesAProcessOfAnotherBootAndThisNamespaceForDead() throws {
        let inspector = try LinuxHostInspector(directory: "/nowhere")
        var process = inspector.currentProcess
        try #require(process.namespace != 0)
        process.boot = BootID(rawValue: "00000000-0000-0000-0000-000000000000")
        process.seat = ProcessIdentity.Seat(file: 1, place: 1)
        #expect(inspector.life(of: process) == .dead)
    }

    /// Without locks the boot is all that tells that the machine was restarted.
    @Test func takesAProcessOfAnotherBootForDead() throws {
        let inspector = try LinuxHostInspector(directory: "/nowhere")
        var process = inspector.currentProcess
        process.boot = BootID(rawValue: "00000000-0000-0000-0000-000000000000")
        #expect(inspector.life(of: process) == .dead)
    }

    @Test(arguments: [Int32(0), -1, .min, .max])
    func takesANumberThatNoProcessCanHaveForDead(_ pid: Int32) throws {
        let inspector = try LinuxHostInspector(directory: "/nowhere")
        var process = inspector.currentProcess
        (process.pid, process.startTime) = (pid, 1)
        #expect(inspector.life(of: process) == .dead)
    }

    @Test func seesAChildLiveAndDieEvenBeforeItIsReaped() throws {
        let inspector = try LinuxHostInspector(directory: "/nowhere")
        // It lives as long as its standard input is open.
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        // Or it would hold its own input open.
        posix_spawn_file_actions_addclose(&actions, ends[1])
        defer { posix_spawn_file_actions_destroy(&actions) }
        var pid: pid_t = 0
        let arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/cat"), nil]
        defer { free(arguments[0]) }
        #expect(posix_spawn(&pid, "/bin/cat", &actions, nil, arguments, environ) == 0)

        let text = try Array(Data(contentsOf: URL(fileURLWithPath: "/proc/\(pid)/stat")))
        let status = try #require(ProcessStatus(parsing: text))
        var child = inspector.currentProcess
        (child.pid, child.startTime) = (pid, status.startTime)
        #expect(inspector.life(of: child) == .alive)

        close(ends[0])
        close(ends[1])
        // Waits for its end and leaves it a zombie.
        var info = siginfo_t()
        #expect(waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == 0)
        #expect(inspector.life(of: child) == .dead)
        #expect(waitpid(pid, nil, 0) == pid)
        #expect(inspector.life(of: child) == .dead)
    }
}
#endif
