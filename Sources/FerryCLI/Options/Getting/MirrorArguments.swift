import ArgumentParser
import FerryFrontend

/// The options that say what to mirror and how.
struct MirrorArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Copy this: a directory of a web server (https://example.org/pub/), objects (s3://bucket/folder/), or the files of a manifest (.json, .meta4).",
            valueName: "source"
        )
    )
    var source: String

    @Argument(
        help: ArgumentHelp("Copy to this directory, which is made if needed.", valueName: "directory"),
        completion: .directory
    )
    var directory: String

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Copy only files that match this pattern, such as '*.iso'; may be repeated.",
            discussion: """
                A pattern with a / is compared with the whole path below the source. Any other pattern is compared with \
                the name of each file and directory. --exclude takes precedence.
                """,
            valueName: "pattern"
        )
    )
    var include: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Leave out files and directories that match this pattern; may be repeated.",
            valueName: "pattern"
        )
    )
    var exclude: [String] = []

    @Flag(
        name: .customLong("delete"),
        help:
            "Remove files that the source no longer has, if this mirror placed them and they were not changed since."
    )
    var deletes = false

    @Flag(name: .customLong("dry-run"), help: "Only print what would be done. Nothing is written.")
    var isDryRun = false

    @Option(
        help: ArgumentHelp(
            "Repeat until Ctrl-C, with this pause after each pass, such as 5m or 1h30m.",
            valueName: "interval"
        )
    )
    var watch: String?

    @Flag(help: "Also replace files that were changed here, or that the mirror did not place.")
    var overwrite = false

    @Flag(
        name: .customLong("checksum"),
        help: ArgumentHelp(
            "Read the local files too, and compare their digests with those of the source.",
            discussion: "Manifests list digests. The ETag of an object counts as a digest if it is an MD5."
        )
    )
    var comparesDigests = false

    @Flag(help: "Give each file the server's time (Last-Modified) instead of the time of the download.")
    var remoteTime = false

    @OptionGroup var connections: ConnectionsArgument

    @OptionGroup var cookies: LoadCookiesArgument
}

extension MirrorArguments {
    /// What was typed, completed from the settings, as the plan takes it.
    func input(
        with request: RequestInput,
        _ connection: ConnectionInput,
        _ settings: Settings
    ) -> MirrorInput {
        var input = MirrorInput()
        (input.source, input.directory) = (source, directory)
        (input.include, input.exclude) = (include, exclude)
        (input.deletes, input.isDryRun) = (deletes, isDryRun)
        (input.watch, input.overwrites, input.comparesDigests) = (watch, overwrite, comparesDigests)
        input.download.connection = connection.completed(from: settings)
        input.download.request = request
        input.download.cookies = cookies.path
        input.download.remoteTime = remoteTime
        input.download.connections = connections.most ?? settings.number(.connections)
        return input
    }
}
