import ArgumentParser
import Ferry
import FerryFrontend

/// The options that say which files to send, and where to.
struct PutArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The files, or '-' for standard input, and then the URL. If it ends with / or has no path, each file keeps its name. With --protocol tus or ietf, it is the URL that creates uploads.",
            valueName: "file ... url"
        )
    )
    var words: [String] = []

    @Option(
        name: [.customShort("i"), .customLong("input")],
        help: ArgumentHelp(
            "Send the files of this list, or '-' for standard input: on each line a file, a tab and its URL.",
            discussion: #"A line may also be a JSON object: {"file": "...", "url": "..."}."#,
            valueName: "list"
        ),
        completion: .file()
    )
    var list: String?

    @Flag(
        name: [.customShort("r"), .customLong("recursive")],
        help: "Send all files below a directory, under a URL that ends with / (any URL with --protocol tus)."
    )
    var isRecursive = false

    @Option(help: ArgumentHelp("Name the media type of the files, such as image/jpeg.", valueName: "type"))
    var contentType: String?

    @Flag(help: "Send a file only if the server has nothing there (If-None-Match: *).")
    var noClobber = false

    @Flag(help: "Send a file even if it was sent before and the server still has it.")
    var overwrite = false

    @Option(
        help: ArgumentHelp(
            "Send a file only if the server still has the version with this entity tag (If-Match).",
            valueName: "etag"
        )
    )
    var ifMatch: String?

    @Option(
        name: .customLong("protocol"),
        help: ArgumentHelp(
            "Upload by this protocol: tus and ietf can resume, put sends one request (default auto: s3, oss or gcs for objects, otherwise put).",
            valueName: "name"
        )
    )
    var protocolName: String?

    @Option(
        help: ArgumentHelp("Send an object in parts of about this size, such as 64M.", valueName: "size")
    )
    var partSize: String?

    @OptionGroup var digests: DigestArguments

    /// The arguments as the plans take them.
    ///
    /// - Parameter delivery: the input of ``DeliveryArguments``.
    func input(_ delivery: SendInput) -> PutInput {
        var input = PutInput(delivery)
        input.words = JoinedWords.separated(words)
        input.list = list
        input.isRecursive = isRecursive
        input.contentType = contentType
        input.noClobber = noClobber
        input.overwrites = overwrite
        input.ifMatch = ifMatch
        input.common.uploading.protocolName = protocolName
        input.common.uploading.partSize = partSize
        digests.apply(to: &input.common)
        return input
    }
}
