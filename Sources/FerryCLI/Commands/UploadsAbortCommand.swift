import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry uploads abort`: ends uploads at a store that no transfer knows.
struct UploadsAbortCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "abort",
        abstract: "End unfinished uploads that belong to no listed transfer, and remove their parts.",
        discussion: """
            If another machine is sending such an upload, it fails there. With --all, uploads that began within the last \
            hour are left, unless --older-than says otherwise. `ferry cancel` ends the upload of a transfer.
            """
    )

    @OptionGroup var uploads: UploadsArguments

    @Flag(help: "End all uploads that belong to no listed transfer.")
    var all = false

    @Option(help: ArgumentHelp("End the upload with this name at the store.", valueName: "upload"))
    var id: String?

    @Option(
        help: ArgumentHelp(
            "End uploads that began longer ago than this: 7d or 12h (default 1h with --all).",
            valueName: "age"
        )
    )
    var olderThan: String?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        guard all != (id != nil) else {
            throw ValidationError("Name what to end: --all, or --id UPLOAD from `ferry uploads list`.")
        }
    }

    /// What has become of the uploads.
    private struct Sum {
        var ended = 0
        var known: [TransferID] = []
        var young = 0
        var status = ExitStatus.done
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let plan = try UploadsPlan(
                uploads.input(with: session.settings, olderThan: olderThan),
                session.environment
            )
            var sum = Sum()
            try await session.eachUpload(of: plan) { bucket, page in
                for upload in page where id == nil || upload.listed.id == id {
                    await end(upload, of: plan, by: bucket, session.console, &sum)
                }
                await session.console.room()
            }
            return try tell(sum, session.console)
        }
    }

    private func end(
        _ upload: UnfinishedUpload,
        of plan: UploadsPlan,
        by bucket: BucketClient,
        _ console: Console,
        _ sum: inout Sum
    ) async {
        if let transfer = upload.transfer {
            sum.known.append(transfer)
            return
        }
        let age = plan.age ?? (all ? UploadsPlan.safeAge : .zero)
        guard upload.hasAge(age, at: SystemTime.now) else {
            sum.young += 1
            return
        }
        do {
            try await bucket.abort(upload.listed, under: plan.prefix)
            sum.ended += 1
            if console.appearance.json {
                console.data(.object(upload.json))
            } else {
                console.notice(
                    "Ended \(TerminalText.safe(upload.listed.id)), \(TerminalText.safe(upload.name))."
                )
            }
        } catch {
            console.report(error, in: &sum.status)
        }
    }

    private func tell(_ sum: Sum, _ console: Console) throws(CommandFailure) -> ExitStatus {
        if id != nil, let transfer = sum.known.first {
            throw CommandFailure(
                .other,
                code: "notPossible",
                "This upload belongs to transfer \(transfer); it was not ended.",
                hint:
                    "Type `ferry cancel \(transfer)`, or for a transfer that has ended, `ferry remove \(transfer)`.",
                transfer: transfer
            )
        }
        guard id == nil || sum.ended + sum.young > 0 || sum.status != .done else {
            throw CommandFailure(
                .notFound,
                code: "notFound",
                "The store has no such unfinished upload there.",
                hint: "`ferry uploads list` shows those that it has."
            )
        }
        if sum.ended == 0, sum.status == .done { console.notice("Ended no uploads.") }
        if sum.young > 0 {
            console.notice("Kept recent uploads: \(sum.young). --older-than 0s ends them too.")
        }
        if !sum.known.isEmpty {
            console.notice(
                "Kept uploads of transfers in this list: \(sum.known.count). `ferry cancel ID` ends one."
            )
        }
        return sum.status
    }
}
