import ArgumentParser

/// Entries of a pool, as `ferry cache pin` and `unpin` take them.
struct CacheKeyArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp("Name of the pool.", valueName: "pool"),
        completion: .pools,
        transform: PoolName.read
    )
    var pool: PoolName

    @Argument(
        help: ArgumentHelp("URLs of the entries, or keys that an application gave.", valueName: "url")
    )
    var keys: [String]
}
