import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry put`: sends files to a server.
struct PutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Upload files: to object stores in parts that resume, to others with one PUT request each.",
        usage: """
            ferry put [<options>] <file> ... <url>
            ferry put [<options>] -r <directory> <url>
            ferry put [<options>] -i <list>
            """,
        discussion: """
            Keep the files as they are until they are sent: a file that was changed is not sent. Standard input is copied \
            first. Press Ctrl-C to stop; `ferry resume` or the same command sends the rest. Uploads to object stores \
            (s3://, oss://, gs://), and with --protocol tus or ietf, resume. Any other file is sent again from its start. \
            A new file for a URL replaces one that is not sent yet. While a file is being sent to a URL, another one is \
            refused. A file that was sent before and has not changed is not sent again if the server still has it (HEAD); \
            --overwrite sends it.
            """
    )

    @Flag(name: .customLong("no-wait"), help: "Only record the uploads for `ferry run`, and print their IDs.")
    var onlyRecords = false

    @OptionGroup var putting: PutArguments
    @OptionGroup var writing: WriteOutArgument
    @OptionGroup var delivery: DeliveryArguments
    @OptionGroup(title: "Request options") var request: RequestArguments
    @OptionGroup(title: "Request options") var store: ObjectStoreArguments
    @OptionGroup(title: "Connection options") var connection: ConnectionArguments
    @OptionGroup(title: "Queue options") var rate: OwnRateArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// What was typed, completed from the settings.
    func input(with settings: Settings) -> PutInput {
        putting.input(delivery.input(with: requestInput, connection.input, settings))
    }

    func validate() throws {
        guard onlyRecords, writing.writeOut != nil else { return }
        throw ValidationError("--write-out and --no-wait cannot be used together.")
    }

    func run() async throws {
        try await Session.run(global.input, explaining: SwallowedURL.explained) { session in
            let actions = EndActions(format: try EndInput.format(writing.writeOut, session.console))
            let isPiped = putting.words.dropLast().contains("-")
            let signals = isPiped ? await session.watchInput() : nil
            var leftOut: [CommandFailure] = []
            var plans = try input(with: session.settings).plans(environment: session.environment) {
                session.console.warning($0)
            } leaveOut: {
                leftOut.append($0)
            }
            guard !plans.isEmpty else {
                if leftOut.isEmpty { session.console.notice("There are no files. Nothing to do.") }
                return tell(leftOut, in: session)
            }
            if let limit = try rate.limit() {
                for index in plans.indices { plans[index].limit(to: limit) }
            }
            // Of several files, each has the same warnings.
            for warning in plans.first?.warnings ?? [] { session.console.warning(warning) }
            if onlyRecords {
                let status = tell(leftOut, in: session)
                let end = try await session.add(plans, signals)
                return status == .done ? end : status
            }
            return try await session.send(plans, besides: leftOut, signals, actions) { _, _, status in
                status
            }
        }
    }

    /// Names what is left out, and returns the status for it.
    private func tell(_ leftOut: [CommandFailure], in session: Session) -> ExitStatus {
        for failure in leftOut { session.console.failure(failure) }
        return leftOut.first?.status ?? .done
    }
}
