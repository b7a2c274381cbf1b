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
            only for a response of 2xx. Repeating the command sends another request. The manual describes the lines of a \
            list (-i).
            """
    )

    @Flag(help: "Send it in this command, and print the body of the response.")
    var wait = false

    @OptionGroup var sending: SendArguments
    @OptionGroup var writing: WriteOutArgument
    @OptionGroup var delivery: DeliveryArguments
    @OptionGroup(title: "Request options") var request: RequestArguments
    @OptionGroup(title: "Request options") var store: ObjectStoreArguments
    @OptionGroup(title: "Connection options") var connection: ConnectionArguments
    @OptionGroup var saving: SaveCookiesArgument
    @OptionGroup(title: "Queue options") var rate: OwnRateArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// What was typed, completed from the settings.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a body that is given twice.
    private func input(with settings: Settings) throws(CommandFailure) -> SendInput {
        try sending.input(delivery.input(with: requestInput, connection.input, settings))
    }

    /// Reads and checks what was typed.
    func plan(
        uuid: TransferUUID,
        settings: Settings,
        environment: ProcessEnvironment
    ) throws(CommandFailure) -> RequestPlan {
        guard sending.url != nil else { throw .nothingToSend }
        let input = try input(with: settings)
        var plan = try RequestPlan(input, uuid: uuid, terms: SendTerms(input, environment))
        if let limit = try rate.limit() { plan.limit(to: limit) }
        guard wait || plan.output?.needsWait != true else {
            throw .usage(
                "-o \(TerminalText.safe(sending.output ?? "")) needs --wait: only this command can write there.",
                hint: "Add --wait, or save the response in a file with -o FILE."
            )
        }
        return plan
    }

    func validate() throws {
        guard saving.path == nil || wait else {
            throw ValidationError(
                "--save-cookies needs --wait: the process that sends the request has the cookies."
            )
        }
        guard writing.writeOut == nil || wait else {
            throw ValidationError(
                "--write-out needs --wait: the process that sends the request has its response."
            )
        }
    }

    func run() async throws {
        try await Session.run(global.input, explaining: SwallowedURL.explained) { session in
            var actions = EndActions(format: try EndInput.format(writing.writeOut, session.console))
            if let path = sending.list { return try await send(list: path, session, actions) }
            actions.writesLast = true
            let signals = sending.dataFile.contains("-") ? await session.watchInput() : nil
            let plan = try plan(
                uuid: TransferUUID(),
                settings: session.settings,
                environment: session.environment
            )
            guard plan.output != .standardOutput || !session.console.appearance.json else {
                throw CommandFailure.usage(
                    "--json and -o - both need standard output.",
                    hint: "Omit one of them."
                )
            }
            for warning in plan.warnings { session.console.warning(warning) }
            guard wait else { return try await session.add([plan], signals) }
            return try await send([plan], session, signals, actions) { engine, ids, status in
                guard !session.console.appearance.json, plan.output != .nowhere, let id = ids.first else {
                    return status
                }
                return try await session.printResponse(of: id, in: engine, status)
            }
        }
    }

    /// Sends requests here, and saves their cookies if that was asked for.
    private func send(
        _ plans: [RequestPlan],
        _ session: Session,
        _ signals: SignalWatch?,
        _ actions: EndActions,
        _ finish: @escaping @Sendable (TransferEngine, [TransferID], ExitStatus) async throws -> ExitStatus
    ) async throws -> ExitStatus {
        guard let path = saving.path else {
            return try await session.send(plans, signals, actions, finish: finish)
        }
        let cookies = try SavedCookies(to: path, beginningWith: nil, session)
        return try await cookies.saving {
            try await session.send(plans, sharing: cookies.shared, signals, actions, finish: finish)
        }
    }

    /// Maximum requests that are added in one commit.
    private static let mostTogether = 1000

    private func send(list path: String, _ session: Session, _ actions: EndActions) async throws -> ExitStatus
    {
        let list = try RequestList(path, input(with: session.settings), session.environment)
        for warning in list.warnings { session.console.warning(warning) }
        let limit = try rate.limit()
        guard try list.check() > 0 else {
            session.console.notice("The list has no requests. Nothing to do.")
            return .done
        }
        func next() throws(CommandFailure) -> RequestPlan? {
            guard var plan = try list.next() else { return nil }
            if let limit { plan.limit(to: limit) }
            return plan
        }
        guard !wait else {
            var plans: [RequestPlan] = []
            while let plan = try next() { plans.append(plan) }
            return try await send(plans, session, nil, actions) { _, _, status in status }
        }
        return try await session.withClient { client in
            var (queues, plans, added): (Set<String>, [RequestPlan], Int) = ([], [], 0)
            do {
                while let plan = try next() {
                    plans.append(plan)
                    guard plans.count == Self.mostTogether else { continue }
                    queues.formUnion(try await session.add(plans, to: client))
                    added += plans.count
                    plans = []
                }
                queues.formUnion(try await session.add(plans, to: client))
            } catch {
                if added > 0 {
                    session.console.notice(
                        "The first \(added) requests of the list were added. Repeat the command with the others; those with a \"uuid\" may stay in the list."
                    )
                }
                throw error
            }
            try await session.tellOfWait(in: queues, client)
            return .done
        }
    }
}

extension Session {
    /// Prints the body of the response to an ended request, also to a failed one: it may explain the failure.
    ///
    /// - Returns: the status of the command: another one if the body of a success is not whole.
    fileprivate func printResponse(
        of id: TransferID,
        in engine: TransferEngine,
        _ status: ExitStatus
    ) async throws -> ExitStatus {
        let transfer = try await engine.snapshot(of: id)
        guard transfer.state.isFinal, let response = transfer.response, response.savedLength == nil else {
            return status
        }
        console.data(response.body)
        guard response.isTruncated, status == .done else { return status }
        let failure = CommandFailure(
            .other,
            code: "responseTooLong",
            "The request succeeded, but its response is longer than \(ByteCount(Int64(response.body.count)).formatted); the rest was dropped.",
            hint:
                "-o FILE saves all of it; --response-limit SIZE keeps up to \(ByteCount(Int64(RequestSpecification.longestResponse)).formatted).",
            transfer: id
        )
        console.failure(failure)
        return failure.status
    }
}
