import ArgumentParser
import Ferry
import FerryFrontend

/// The options of every command that sends requests: where they stand in line, what goes along, how servers are reached.
///
/// They are a group of the command itself: in a debug build, each level of groups takes the parser four times as long.
struct DeliveryArguments: ParsableArguments {
    @OptionGroup(title: "Queue options")
    var placement: PlacementArguments

    @Option(
        help: ArgumentHelp(
            "Give it this type, by which an application handles the response.",
            valueName: "name"
        ),
        transform: TransferType.read
    )
    var type: TransferType?

    @OptionGroup var familiar: FamiliarRequestArguments

    @OptionGroup(title: "Request options")
    var request: RequestArguments

    @OptionGroup(title: "Connection options")
    var connection: ConnectionArguments

    /// The arguments, completed from the settings, as the plan takes them.
    func input(with settings: Settings) -> SendInput {
        var input = SendInput()
        input.type = type
        input.placement = placement.input.completed(from: settings)
        input.request = request.input
        input.connection = connection.input.completed(from: settings)
        return input
    }
}
