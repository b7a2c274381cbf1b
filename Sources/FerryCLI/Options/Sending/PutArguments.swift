import ArgumentParser
import Ferry
import FerryFrontend

/// The options that say which files to send, and where to.
struct PutArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The files, and last the URL. After a URL that ends with /, each file keeps its name.",
            valueName: "file ... url"
        )
    )
    var words: [String] = []

    @Option(help: ArgumentHelp("Name the media type of the files, such as image/jpeg.", valueName: "type"))
    var contentType: String?

    @Flag(help: "Send a file only if the server has nothing there (If-None-Match: *).")
    var noClobber = false

    @Option(
        help: ArgumentHelp(
            "Send a file only if the server still has the version with this entity tag (If-Match).",
            valueName: "etag"
        )
    )
    var ifMatch: String?

    @OptionGroup var placement: PlacementArguments

    @OptionGroup(title: "Request options")
    var request: RequestArguments

    @OptionGroup(title: "Connection options")
    var connection: ConnectionArguments

    /// The arguments, completed from the settings, as the plan takes them.
    func input(with settings: Settings) -> PutInput {
        var (placement, connection) = (placement, connection)
        placement.complete(from: settings)
        connection.complete(from: settings)
        var input = PutInput()
        input.words = words
        input.contentType = contentType
        input.noClobber = noClobber
        input.ifMatch = ifMatch
        input.placement = placement.input
        input.request = request.input
        input.connection = connection.input
        return input
    }
}
