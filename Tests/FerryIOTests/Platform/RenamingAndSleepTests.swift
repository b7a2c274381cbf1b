import FerryCore
import SystemPackage
import Testing

@testable import FerryIO

@Suite struct RenamingAndSleepTests {
    @Test(arguments: ["", ".", "..", "a/b", "/etc/passwd", "../x", "a\0b"])
    func refusesANameThatIsMoreThanOneComponent(_ name: String) throws {
        let stage = try PartFileDirectory()
        let (directory, _) = try Platform.openDirectory(stage.directory)
        defer { Platform.close(directory) }
        #expect(throws: Errno.invalidArgument) {
            try Platform.open(name, beneath: directory, .createExclusively)
        }
    }

    @Test func refusesToRenameOverAnything() throws {
        let stage = try PartFileDirectory()
        try stage.put(.file, [1], as: FileName(userGiven: "a"))
        try stage.put(.file, [2], as: FileName(userGiven: "b"))
        let (directory, _) = try Platform.openDirectory(stage.directory)
        defer { Platform.close(directory) }
        #expect(throws: Errno.fileExists) {
            try Platform.renameWithoutReplacing("a", to: "b", in: directory)
        }
        #expect(throws: Errno.fileExists) { try Platform.link("a", as: "b", in: directory) }
        try Platform.renameWithoutReplacing("a", to: "c", in: directory)
        #expect(try stage.names() == ["b", "c"])
    }

    @Test func theSystemClockGoesOn() async throws {
        let clock = SystemClock()
        let before = clock.now
        // A moment of this century: a unit mistaken for another would be far out.
        #expect(before > Instant(seconds: 1_700_000_000) && before < Instant(seconds: 4_000_000_000))
        try await clock.sleep(for: .zero)
        try await clock.sleep(for: .seconds(-5))
    }

    @Test func aSleepEndsWhenItIsCancelled() async {
        let task = Task { try await SystemClock().sleep(for: .seconds(1_000_000)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await SystemClock().sleep(for: .zero)
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }
}
