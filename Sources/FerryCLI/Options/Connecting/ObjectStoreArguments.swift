import ArgumentParser
import FerryFrontend

/// The options that say how an object store is reached.
struct ObjectStoreArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Use this profile of ~/.aws/config and ~/.aws/credentials, or for oss://, of ~/.ossutilconfig.",
            discussion: "The access key in the environment is then not used.",
            valueName: "name"
        )
    )
    var profile: String?

    @Option(help: ArgumentHelp("Name the region of the bucket, such as eu-central-1.", valueName: "region"))
    var region: String?

    @Option(
        name: [.long, .customLong("endpoint-url")],
        help: ArgumentHelp(
            "Use this server instead of the store's own, such as http://localhost:9000.",
            valueName: "url"
        )
    )
    var endpoint: String?

    @Flag(help: "Name the bucket in the path: https://SERVER/BUCKET/KEY.")
    var pathStyle = false

    @Flag(help: "Do not name the bucket: the host of --endpoint serves only one.")
    var customDomain = false

    @Option(
        help: ArgumentHelp(
            "Use signatures of this version: v4, or v1 with oss:// (default v4).",
            valueName: "version"
        )
    )
    var signVersion: String?

    /// What was typed, as ``ObjectStoreSettings`` takes it.
    var input: ObjectStoreInput {
        var input = ObjectStoreInput()
        input.profile = profile
        input.region = region
        input.endpoint = endpoint
        input.pathStyle = pathStyle
        input.customDomain = customDomain
        input.version = signVersion
        return input
    }
}
