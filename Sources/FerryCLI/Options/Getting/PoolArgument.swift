import ArgumentParser

/// The pool that a command is about.
struct PoolArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Name of the pool.", valueName: "pool"),
        completion: .pools,
        transform: PoolName.read
    )
    var name: PoolName

    /// The name.
    var text: String { name.text }
}

/// The pool that a command is about, or all pools.
struct OptionalPoolArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Only this pool; by default, all pools.", valueName: "pool"),
        completion: .pools,
        transform: PoolName.read
    )
    var name: PoolName?
}
