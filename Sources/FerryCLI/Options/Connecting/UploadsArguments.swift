import ArgumentParser
import FerryFrontend

/// The bucket whose unfinished uploads are meant, and how it is reached.
struct UploadsArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The bucket, or what the keys begin with: s3://bucket or oss://bucket/prefix.",
            valueName: "bucket"
        )
    )
    var place: String

    @OptionGroup(title: "Store options") var store: ObjectStoreArguments

    @OptionGroup(title: "Connection options") var connection: ConnectionArguments

    /// What was typed, as a plan takes it.
    func input(with settings: Settings, olderThan age: String?) -> UploadsInput {
        var input = UploadsInput()
        input.place = place
        input.olderThan = age
        input.store = store.input
        input.connection = connection.input.completed(from: settings)
        return input
    }
}
