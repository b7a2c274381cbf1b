import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry adopt`: takes over an unfinished file that another tool left.
struct AdoptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Take over an unfinished download of curl, wget or aria2, and finish it.",
        usage: """
            ferry adopt [<options>] <file> <url>
            ferry adopt [<options>] -i <list>
            """,
        discussion: """
            FILE is the unfinished file; FILE.aria2 beside it says which of its bytes aria2 has fetched. The last bytes are \
            compared with the server's before any count. If they differ, the command fails and FILE is as before; with \
            --on-change restart, FILE is deleted and fetched anew. The first bytes and some within are compared, too. If \
            they differ, FILE is of several versions, and all of its bytes are fetched again. Until it is complete, the file is named FILE.part; \
            `ferry cancel` gives it back. With --checksum, all bytes count, and the digest decides. A part file of ferry \
            (FILE.part) that no transfer knows needs --checksum.

            With -i, the list names the URLs and files, as a session of aria2 does. A file that does not exist is \
            downloaded from the start.
            """
    )

    @Argument(
        help: ArgumentHelp("The unfinished file; with -i, the list names the files.", valueName: "file"),
        completion: .file()
    )
    var file: String?

    @OptionGroup var download: DownloadArguments
    @OptionGroup(title: "Request options") var request: RequestArguments
    @OptionGroup(title: "Request options") var store: ObjectStoreArguments
    @OptionGroup(title: "Connection options") var connection: ConnectionArguments

    @Flag(
        name: .customLong("dry-run"),
        help: "Print which files would be taken over, and how many bytes of each; change nothing."
    )
    var isDryRun = false

    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var saving: SaveCookiesArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup var ends: EndArguments
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        try ends.refuse(beside: isDryRun ? "--dry-run" : nil)
        let isOfFile =
            file != nil && download.urls.count == 1 && download.list == nil && download.output == nil
        let isOfList = file == nil && download.list != nil
        guard isOfFile || isOfList, download.metalink.isEmpty else {
            throw ValidationError(
                "Give one file and its URL, as in `ferry adopt FILE URL`, or a list, as in `ferry adopt -i LIST`."
            )
        }
    }

    func run() async throws {
        var download = download.input(with: requestInput, connection.input)
        let part = ".part"
        if let file {
            download.output = file.hasSuffix(part) ? String(file.dropLast(part.count)) : file
        }
        let input = getInput(download, .fetch(.adopting))
        if isDryRun { try await Session.preview(input) } else { try await Session.get(input) }
    }
}
