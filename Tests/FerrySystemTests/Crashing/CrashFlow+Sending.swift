import Foundation

/// The flows that record requests, send them, and say what became of them.
extension CrashFlow {
    static var sending: [CrashFlow] {
        [
            recordList, sendWithKey, sendWithoutKey, sendAtOnce, upload, uploadLater, resolveAsSent,
            resolveAsUnsent, sendToFile,
        ]
    }

    /// `ferry send` records a list of requests and is killed. The same list again is no other request.
    private static var recordList: CrashFlow {
        CrashFlow(
            name: "record requests",
            before: { run in
                let line =
                    #"{"method":"POST","url":"\#(run.server.url("keyed"))","data":"\#(CrashRun.text)","#
                let uuid = #""uuid":"01890a5d-ac96-774b-bcce-000000000001"}"#
                try Data((line + uuid).utf8).write(to: URL(fileURLWithPath: run.sandbox.root + "/list"))
            },
            line: { ["send", "-i", $0.sandbox.root + "/list"] },
            after: { run in
                run.check(run.inbox.all.isEmpty, "sent while it was recorded")
                run.acknowledge(try await run.ferry(["send", "-i", run.sandbox.root + "/list"]))
                try await run.expectCompleted(try await run.sendsTheRest(), "keyed")
                run.check(run.arrivals(of: "keyed") == 1, "it has arrived several times")
            },
            leaves: []
        )
    }

    /// The process that sends a request with a key is killed.
    private static var sendWithKey: CrashFlow {
        CrashFlow(
            name: "send with a key",
            before: { try await $0.addRequest([$0.server.url("keyed")]) },
            line: { _ in ["run"] },
            after: { try await $0.expectCompleted(try await $0.sendsTheRest(), "keyed") },
            leaves: []
        )
    }

    /// The process that sends a request without a key is killed.
    private static var sendWithoutKey: CrashFlow {
        CrashFlow(
            name: "send without a key",
            before: { try await $0.addRequest(["--no-key", $0.server.url("keyless")]) },
            line: { _ in ["run"] },
            after: { try await $0.expectOnce("keyless") },
            leaves: []
        )
    }

    /// One process records a request, sends it and prints the response, and is killed.
    private static var sendAtOnce: CrashFlow {
        CrashFlow(
            name: "send and wait",
            line: {
                ["send", "--wait", "--no-key", "POST", $0.server.url("keyless"), "--data", CrashRun.text]
            },
            after: { try await $0.expectOnce("keyless") },
            leaves: [],
            rows: 0...1
        )
    }

    /// The process that saves a response in a file is killed. The file is then recognised, and not in the way.
    private static var sendToFile: CrashFlow {
        CrashFlow(
            name: "send to a file",
            before: { try await $0.addRequest([$0.server.url("keyed"), "-o", "reply"]) },
            line: { _ in ["run"] },
            after: { run in
                let state = try await run.sendsTheRest()?.state
                run.check(state == "completed", "the response is not saved: \(state ?? "gone")")
                let saved = FileManager.default.contents(atPath: run.sandbox.path(of: "reply"))
                run.check(saved == Data(CrashRun.answer.utf8), "another response is saved")
            },
            leaves: ["reply"]
        )
    }

    /// The process that uploads a file is killed.
    private static var upload: CrashFlow {
        CrashFlow(
            name: "upload",
            before: { try CrashRun.content.bytes.write(to: URL(fileURLWithPath: $0.final)) },
            line: { ["put", "file.bin", $0.server.url("file")] },
            after: { run in
                var sent = try await run.sendsTheRest()
                if sent == nil {
                    run.check(run.arrivals(of: "file") == 0, "it has arrived and is not in the list")
                    try await run.ferry(["put", "file.bin", run.server.url("file")])
                    sent = try await run.sandbox.requests().last
                }
                try await run.expectCompleted(sent, "file", body: Array(CrashRun.content.bytes))
            }
        )
    }

    /// `ferry put --no-wait` records an upload and is killed.
    private static var uploadLater: CrashFlow {
        CrashFlow(
            name: "record an upload",
            before: { try CrashRun.content.bytes.write(to: URL(fileURLWithPath: $0.final)) },
            line: { ["put", "--no-wait", "file.bin", $0.server.url("file")] },
            after: { run in
                run.check(run.inbox.all.isEmpty, "sent while it was recorded")
                guard let sent = try await run.sendsTheRest() else { return }
                try await run.expectCompleted(sent, "file", body: Array(CrashRun.content.bytes))
            },
            rows: 0...1
        )
    }

    /// `ferry resolve --sent` is killed.
    private static var resolveAsSent: CrashFlow {
        CrashFlow(
            name: "resolve as sent",
            before: { try await $0.loseRequest() },
            line: { _ in ["resolve", CrashRun.number, "--sent"] },
            after: { run in
                try await run.ferry(["resolve", CrashRun.number, "--sent"], expecting: [0, 1])
                let state = try await run.sendsTheRest()?.state
                run.check(state == "completed", "resolved, and \(state ?? "gone")")
                run.check(run.arrivals(of: CrashRun.lost) == 1, "sent again")
            },
            leaves: []
        )
    }

    /// `ferry resolve --not-sent` is killed.
    private static var resolveAsUnsent: CrashFlow {
        CrashFlow(
            name: "resolve as not sent",
            before: { try await $0.loseRequest() },
            line: { _ in ["resolve", CrashRun.number, "--not-sent"] },
            after: { run in
                try await run.ferry(["resolve", CrashRun.number, "--not-sent"], expecting: [0, 1])
                try await run.expectCompleted(try await run.sendsTheRest(), CrashRun.lost)
                run.check(run.arrivals(of: CrashRun.lost) == 2, "not sent once again")
            },
            leaves: []
        )
    }
}

extension CrashRun {
    /// Sends a request without a key whose answer is lost, so that its outcome is unknown.
    fileprivate func loseRequest() async throws {
        let words = ["send", "--wait", "--no-key", "POST", server.url(Self.lost), "--data", Self.text]
        try await ferry(words, expecting: [33])
        acknowledge([3])
    }
}
