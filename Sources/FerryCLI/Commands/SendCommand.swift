import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry send`: records an HTTP request that must arrive, and may wait for its response.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send an HTTP request that must arrive: record it for `ferry run`, and print its ID.",
        discussion: """
            With --wait, send it in this command, and write the body of the response to standard output. The status is 0 \
            only for a response of 2xx. The same command line again sends another request.
            """
    )

    @OptionGroup var sending: SendArguments
    @OptionGroup var rate: OwnRateArgument

    @Flag(help: "Send it in this command, and print the body of the response.")
    var wait = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// Reads and checks what was typed.
    func plan(
        uuid: TransferUUID,
        settings: Settings,
        environment: ProcessEnvironment
    ) throws(CommandFailure) -> RequestPlan {
        var plan = try RequestPlan(sending.input(with: settings), uuid: uuid, environment: environment)
        if let limit = try rate.limit() { plan.limit(to: limit) }
        return plan
    }

    func run() async throws {
        try await Session.run(global) { session in
            var generator = SystemRandomNumberGenerator()
            let plan = try plan(
                uuid: TransferUUID(at: SystemTime.now, using: &generator),
                settings: session.settings,
                environment: session.environment
            )
            for warning in plan.warnings { session.console.warning(warning) }
            guard wait else { return try await session.add(plan) }
            let terms = try EngineTerms(session.settings)
            return try await session.withEngine {
                $0.scope = .followed
                $0.whenStopped = .pause
                terms.apply(to: &$0)
            } _: { engine in
                try await session.send(plan, in: engine)
            }
        }
    }
}

extension Session {
    /// Adds a request for the process that runs the queue.
    fileprivate func add(_ plan: RequestPlan) async throws -> ExitStatus {
        try await withClient { client in
            let additions = try await client.add([plan.transfer])
            for addition in additions { tell(addition) }
            try await tellOfWait(in: additions.map(\.transfer).queues, client)
            return .done
        }
    }

    /// Sends a request here, and prints the body of its response.
    fileprivate func send(_ plan: RequestPlan, in engine: TransferEngine) async throws -> ExitStatus {
        // From here on the request is reserved for this command until it releases it.
        let signals = await SignalWatch { [console] in console.abandon() }
        defer { signals.stop() }
        let additions = try await engine.download([plan.transfer])
        let run = try await follow(additions, in: engine)
        let status = try await run.run(signals)
        guard !console.appearance.json, let id = additions.first?.transfer.id else { return status }
        return try await printResponse(of: id, in: engine, status)
    }

    /// Prints the body of the response to an ended request, also to a failed one: it may explain the failure.
    ///
    /// - Returns: the status of the command: another one if the body of a success is not whole.
    private func printResponse(
        of id: TransferID,
        in engine: TransferEngine,
        _ status: ExitStatus
    ) async throws -> ExitStatus {
        let transfer = try await engine.snapshot(of: id)
        guard transfer.state.isFinal, let response = transfer.response else { return status }
        console.data(response.body)
        guard response.isTruncated, status == .done else { return status }
        let failure = CommandFailure(
            .other,
            code: "responseTooLong",
            "The request succeeded, but its response is longer than \(ByteCount(Int64(response.body.count)).formatted); the rest was dropped.",
            hint:
                "--response-limit SIZE keeps up to \(ByteCount(Int64(RequestSpecification.longestResponse)).formatted).",
            transfer: id
        )
        console.failure(failure)
        return failure.status
    }
}
