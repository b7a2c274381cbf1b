import Foundation

/// The flows that upload a file which can be resumed, and those that remove what a server holds of it.
extension CrashFlow {
    static var uploading: [CrashFlow] {
        UploadRoute.all.flatMap { [begin($0), resume($0), cancelPaused($0), removeLeft($0)] }
            + [cancelRunning(.tus)]
    }

    /// The process that begins an upload is killed.
    private static func begin(_ route: UploadRoute) -> CrashFlow {
        CrashFlow(
            name: "upload by \(route.name)",
            before: { try $0.prepare(route) },
            line: route.line,
            after: { run in
                if try await run.sendsTheRest() == nil {
                    run.check(run.uploads.pieces == 0, "bytes of it have left, and it is not in the list")
                    try await run.ferry(route.line(run))
                }
                try await run.expectUploaded(route)
            },
            leaves: [route.file]
        )
    }

    /// The process that resumes an upload is killed.
    private static func resume(_ route: UploadRoute) -> CrashFlow {
        CrashFlow(
            name: "resume an upload by \(route.name)",
            firstAnswer: .stall,
            before: { try await $0.interruptedUpload(route) },
            line: route.line,
            after: { run in
                _ = try await run.sendsTheRest()
                try await run.expectUploaded(route)
            },
            leaves: [route.file]
        )
    }

    /// `ferry cancel` is killed while no process runs the upload.
    private static func cancelPaused(_ route: UploadRoute) -> CrashFlow {
        CrashFlow(
            name: "cancel a paused upload by \(route.name)",
            firstAnswer: .stall,
            before: { try await $0.interruptedUpload(route) },
            line: { _ in ["cancel", CrashRun.number] },
            after: { run in
                try await run.ferry(["cancel", CrashRun.number], expecting: [0, 1])
                try await run.expectRemoved()
            },
            leaves: [route.file]
        )
    }

    /// The process that removes a cancelled upload from its server is killed.
    private static func removeLeft(_ route: UploadRoute) -> CrashFlow {
        CrashFlow(
            name: "remove a cancelled upload by \(route.name)",
            firstAnswer: .stall,
            before: { run in
                try await run.interruptedUpload(route)
                try await run.ferry(["cancel", CrashRun.number])
                run.check(run.uploads.open.begun == 1, "removed before an engine ran")
            },
            line: { _ in ["run"] },
            after: { try await $0.expectRemoved() },
            leaves: [route.file]
        )
    }

    /// The process that runs an upload is killed when another one has cancelled it.
    private static func cancelRunning(_ route: UploadRoute) -> CrashFlow {
        CrashFlow(
            name: "obey the cancellation of an upload",
            firstAnswer: .stall,
            before: { try $0.prepare(route) },
            line: route.line,
            meanwhile: { run, process in
                try await run.reachesTheStall(process)
                run.check(FileManager.default.createFile(atPath: run.arming, contents: nil), "not armed")
                try await run.ferry(["cancel", CrashRun.number])
            },
            after: { try await $0.expectRemoved() },
            leaves: [route.file]
        )
    }
}

/// A protocol of uploads, and a file that it sends in several pieces.
private struct UploadRoute {
    var name: String
    /// The name of the file in the working directory.
    var file: String
    var content: Content
    /// The arguments after that name.
    var arguments: @Sendable (CrashRun) -> [String]
    /// Whether the request that creates an upload brings bytes. One whose name was lost with the process then holds some, and
    /// only its server can remove it.
    var beginsWithBytes = false
    /// How often the object may be made. The entity tags of OSS do not follow from the parts, so an object whose completion was
    /// not recorded is sent again.
    var makings = 1...1

    static let all = [tus, draft, store, oss, google]

    static let tus = UploadRoute(
        name: "tus",
        file: "file.bin",
        content: CrashRun.content,
        arguments: { [$0.server.url("tus/"), "--protocol", "tus", "--part-size", "500K"] }
    )

    /// The server takes 500,000 bytes at a time.
    static let draft = UploadRoute(
        name: "the draft of the IETF",
        file: "file.bin",
        content: CrashRun.content,
        arguments: { [$0.server.url("draft/object"), "--protocol", "ietf"] },
        beginsWithBytes: true
    )

    static let store = inParts("S3", "s3://bucket/object", "--part-size", "5M")
    static let oss = inParts("OSS", "oss://bucket/object", "--part-size", "5M", makings: 1...2)
    static let google = inParts(
        "Google",
        "gs://google/object",
        "--profile",
        "default",
        "--part-size",
        "3M"
    )

    /// Files of up to 8 MiB go in one request.
    private static func inParts(
        _ name: String,
        _ words: String...,
        makings: ClosedRange<Int> = 1...1
    ) -> UploadRoute {
        UploadRoute(
            name: name,
            file: "large.bin",
            content: Content(count: 9 * .mebibyte, seed: 163),
            arguments: { run in words + ["--endpoint", "http://127.0.0.1:\(run.server.port)"] },
            makings: makings
        )
    }

    /// The command that uploads the file.
    var line: @Sendable (CrashRun) -> [String] {
        { [file, arguments] run in ["put", file] + arguments(run) }
    }
}

extension CrashRun {
    /// Writes the file, and the keys of the store.
    fileprivate func prepare(_ route: UploadRoute) throws {
        try route.content.bytes.write(to: URL(fileURLWithPath: sandbox.path(of: route.file)))
        try sandbox.writeKeys()
    }

    /// Waits until the server has a piece whose answer it holds back.
    fileprivate func reachesTheStall(_ process: ChildProcess) async throws {
        try await Deadline.wait(for: "the upload to stall", said: { process.errorsSoFar }) {
            process.hasEnded || uploads.isStalling
        }
    }

    /// Starts the upload, and interrupts it with Ctrl-C. The server holds a part of it, and a paused row is left.
    fileprivate func interruptedUpload(_ route: UploadRoute) async throws {
        try prepare(route)
        let process = try sandbox.launch(route.line(self))
        try await reachesTheStall(process)
        process.send(SIGINT)
        let outcome = try await process.outcome()
        check(outcome.status == 7, "interrupted, and \(outcome.status): \(outcome.errors)")
        check(uploads.open.begun == 1, "the interruption left \(uploads.open)")
        acknowledge(outcome)
    }

    /// Expects that the upload is completed, and that its server holds the object and nothing else with bytes in it.
    fileprivate func expectUploaded(_ route: UploadRoute) async throws {
        let row = try await sandbox.requests().last
        check(row?.state == "completed", "not completed: \(String(describing: row))")
        let objects = uploads.objects
        check(route.makings.contains(objects.count), "made \(objects.count) times")
        check(objects.allSatisfy { $0 == Array(route.content.bytes) }, "another file has arrived")
        expectNothingHeld(nameless: route.beginsWithBytes ? 1 : 0)
    }

    /// Lets the next engine remove the cancelled upload, and expects that nothing is left of it.
    fileprivate func expectRemoved() async throws {
        // The transfers that do not belong to the flow are left paused.
        try await ferry(["run"], expecting: [7])
        let row = try await sandbox.requests().last
        check(row?.state == "cancelled", "not cancelled: \(String(describing: row))")
        check(uploads.objects.isEmpty, "an object was made")
        expectNothingHeld()
        let asked = server.requests.count
        try await ferry(["run"], expecting: [7])
        check(server.requests.count == asked, "the removal was not recorded")
    }

    /// One upload may be left that has no bytes, because its name was lost with the process. Only a server can remove it.
    ///
    /// - Parameter nameless: how many may be left so that have bytes.
    private func expectNothingHeld(nameless: Int = 0) {
        let open = uploads.open
        check(
            open.begun <= nameless && open.begun + open.empty <= 1,
            "the server still holds \(open)"
        )
    }
}
