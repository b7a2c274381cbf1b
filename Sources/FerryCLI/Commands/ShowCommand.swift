import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry show`: shows everything about transfers.
struct ShowCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show all details of transfers; secrets are masked."
    )

    @Argument(
        help: ArgumentHelp("IDs of transfers, as shown by `ferry list`.", valueName: "id"),
        completion: .transfers
    )
    var ids: [TransferID]

    @Flag(
        help:
            "Print whole URLs with their secrets, the key of a request, and the values of a response's header fields."
    )
    var reveal = false

    @Flag(help: "Print only the body of the response to a request, as it is; with --json, add both bodies.")
    var body = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient(for: .reading) { client in
                let owners = try await OwnerDirectory(client)
                return await session.each(ids) { id in
                    if body, !global.json {
                        return session.console.data(try await Self.body(ofResponseTo: id, in: client))
                    }
                    let transfer = owners.shown(try await client.snapshot(of: id), at: SystemTime.now)
                    let attempts = try await client.attempts(of: id)
                    let stops =
                        global.json
                        ? QueueStops() : try await QueueStops(of: [transfer].queues, in: client)
                    if !global.json, id != ids.first { session.console.data("") }
                    show(
                        transfer,
                        attempts,
                        owners,
                        session.console,
                        stops
                    )
                }
            }
        }
    }

    private static func body(
        ofResponseTo id: TransferID,
        in client: TransferClient
    ) async throws -> [UInt8] {
        let transfer = try await client.snapshot(of: id)
        guard let work = transfer.work.request else {
            throw CommandFailure.usage("Transfer \(id) is no request, and has no response.")
        }
        if let response = transfer.response, response.savedLength == nil { return response.body }
        let (message, hint) = ResponseAbsence.text(of: transfer, work)
        throw CommandFailure(.other, code: "notPossible", message, hint: hint, transfer: id)
    }

    private func show(
        _ transfer: Transfer,
        _ attempts: [Attempt],
        _ owners: OwnerDirectory,
        _ console: Console,
        _ stops: QueueStops
    ) {
        let progress = transfer.recordedProgress
        guard !global.json else {
            let history = JSON.array(attempts.map { TransferRecord.attempt($0, of: transfer) })
            let members = TransferRecord.full(transfer, progress, owners: owners, revealing: reveal)
            let details = TransferRecord.details(of: transfer, revealing: reveal, withBodies: body)
            return console.data(
                .object(members + details + [.init(name: "history", value: history)])
            )
        }
        let portrait = TransferPortrait(
            transfer: transfer,
            progress: progress,
            attempts: attempts,
            process: owners.process(of: transfer),
            hasRunner: owners.hasOthers,
            isQueuePaused: stops.paused.contains(transfer.queue),
            heldBy: stops.holders[transfer.queue],
            holderFailure: stops.holders[transfer.queue].flatMap { stops.failures[$0] },
            revealing: reveal
        )
        for line in portrait.lines(at: SystemTime.now, columns: console.outputColumns) { console.data(line) }
    }
}
