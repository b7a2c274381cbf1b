import ArgumentParser

/// Entries of a pool, as `ferry cache pin` and `unpin` take them.
struct CacheKeyArguments: ParsableArguments {
    @OptionGroup var pool: PoolArgument

    @Argument(
        help: ArgumentHelp("URLs of the entries, or keys that an application gave.", valueName: "url")
    )
    var keys: [String]
}
