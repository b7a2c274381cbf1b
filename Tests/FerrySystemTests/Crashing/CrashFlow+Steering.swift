import Foundation

/// The flows in which one process steers a transfer that another process runs, and those that remove bytes.
extension CrashFlow {
    static var steering: [CrashFlow] {
        [pauseAsked, pauseObeyed, cancelAsked, cancelObeyed, cancelIdle, remove]
    }

    /// `ferry pause` is killed.
    private static var pauseAsked: CrashFlow {
        CrashFlow(
            name: "ask for a pause",
            firstAnswer: .stall,
            before: { try await $0.startRunner() },
            line: { _ in ["pause", CrashRun.number] },
            after: { run in
                try await run.ferry(["pause", CrashRun.number], expecting: [0, 1])
                let stopped = try await run.runnerEnds()
                run.check(stopped.status == 7, "paused, and \(stopped.status): \(stopped.errors)")
                run.check(try await run.rows("paused").last?.state == "paused", "not paused")
                try await run.ferry(["get", run.url])
            }
        )
    }

    /// The process that runs the download is killed.
    private static var pauseObeyed: CrashFlow {
        CrashFlow(
            name: "obey a pause",
            firstAnswer: .stall,
            line: { ["get", $0.url] },
            meanwhile: { try await $0.steer("pause", $1) },
            after: { try await $0.ferry(["get", $0.url]) }
        )
    }

    /// `ferry cancel` is killed while another process runs the download.
    private static var cancelAsked: CrashFlow {
        CrashFlow(
            name: "ask for a cancellation",
            firstAnswer: .stall,
            before: { try await $0.startRunner() },
            line: { _ in ["cancel", CrashRun.number] },
            after: { run in
                try await run.ferry(["cancel", CrashRun.number], expecting: [0, 1])
                _ = try await run.runnerEnds()
                run.check(try await run.rows("cancelled").last?.state == "cancelled", "not cancelled")
            },
            leaves: []
        )
    }

    /// The process that runs the download is killed.
    private static var cancelObeyed: CrashFlow {
        CrashFlow(
            name: "obey a cancellation",
            firstAnswer: .stall,
            line: { ["get", $0.url] },
            meanwhile: { try await $0.steer("cancel", $1) },
            after: { run in
                // The request stays in the row, and the next process carries it out. It leaves what is paused.
                try await run.ferry(["run"], expecting: [7])
                run.check(try await run.rows("cancelled").last?.state == "cancelled", "not cancelled")
            },
            leaves: []
        )
    }

    /// `ferry cancel` is killed while no process runs the download.
    private static var cancelIdle: CrashFlow {
        CrashFlow(
            name: "cancel what is paused",
            firstAnswer: .stall,
            before: { try await $0.interruptedDownload() },
            line: { _ in ["cancel", CrashRun.number] },
            after: { run in
                try await run.ferry(["cancel", CrashRun.number], expecting: [0, 1])
                run.check(try await run.rows("cancelled").last?.state == "cancelled", "not cancelled")
            },
            leaves: []
        )
    }

    /// `ferry remove` deletes a failed download and its part file, and is killed.
    private static var remove: CrashFlow {
        CrashFlow(
            name: "remove",
            firstAnswer: .hangUp,
            before: { try await $0.ferry(["get", "--retries", "0", $0.url], expecting: [6]) },
            line: { _ in ["remove", CrashRun.number] },
            after: { try await $0.ferry(["remove", CrashRun.number], expecting: [0, 1]) },
            leaves: [],
            rows: 0...0
        )
    }
}
