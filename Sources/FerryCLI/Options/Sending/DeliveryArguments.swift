import ArgumentParser
import Ferry
import FerryFrontend

/// The options of every command that records requests: where they stand in line, and of what type they are.
struct DeliveryArguments: ParsableArguments {
    @OptionGroup(title: "Queue options") var placement: PlacementArguments
    @OptionGroup(title: "Queue options") var window: WindowArgument
    @OptionGroup(title: "Queue options") var deadline: DeadlineArgument

    @Option(
        help: ArgumentHelp(
            "Set the type, which tells an application how to handle the response.",
            valueName: "name"
        ),
        transform: TransferType.read
    )
    var type: TransferType?

    @OptionGroup var familiar: FamiliarRequestArguments

    /// The arguments of a command, completed from the settings, as the plan takes them.
    func input(
        with request: RequestInput,
        _ connection: ConnectionInput,
        _ settings: Settings
    ) -> SendInput {
        var input = SendInput()
        input.type = type
        input.placement = placement.input(window, deadline).completed(from: settings)
        input.request = request
        input.connection = connection.completed(from: settings)
        return input
    }
}
