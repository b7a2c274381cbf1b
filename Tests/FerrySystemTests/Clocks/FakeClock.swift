import Foundation
import Testing

/// A fake system clock for processes. `fakeclock.c` explains how it works.
struct FakeClock {
    private static let compiler = Tool("cc")

    static var isInstalled: Bool { compiler.isInstalled && Sanitizer.inUse == nil }

    private let sandbox: Sandbox
    private var file: String { sandbox.root + "/clock" }
    private var library: String { sandbox.root + "/fakeclock.so" }

    /// A clock with the right time.
    init(in sandbox: Sandbox) async throws {
        self.sandbox = sandbox
        let source = Repository.root + "/Tests/FerrySystemTests/Clocks/fakeclock.c"
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: file))
        try await sandbox.launch(
            executable: Self.compiler.requiredPath(),
            ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source]
        ).outcome().expect(0)
    }

    /// Sets its offset from the right time.
    func set(_ offset: Duration) throws {
        let nanoseconds = Int64(offset / .nanoseconds(1))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        // Written in place and in one call, because processes have the file mapped.
        try handle.write(contentsOf: withUnsafeBytes(of: nanoseconds) { Data($0) })
        try handle.close()
    }

    /// Sets its time.
    func set(_ moment: Date) throws {
        try set(.seconds(moment.timeIntervalSinceNow.rounded()))
    }

    /// Starts ferry under this clock.
    func launch(_ arguments: [String]) throws -> ChildProcess {
        try sandbox.launch(arguments, environment: ["LD_PRELOAD": library, "FERRY_TEST_CLOCK": file])
    }
}
