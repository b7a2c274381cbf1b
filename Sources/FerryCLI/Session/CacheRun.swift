import Ferry
import FerryFrontend

/// Commands of the managed cache in a session.
struct CacheRun {
    private let session: Session
    private var console: Console { session.console }

    init(_ session: Session) { self.session = session }

    /// The named pool, or all of them.
    ///
    /// - Throws: ``CommandFailure`` for a pool without entries that was never changed.
    func pools(_ name: PoolName?, in client: TransferClient) async throws -> [CachePool] {
        guard let name else { return try await client.cachePools().map { client.cache($0.pool) } }
        return [try await pool(name, in: client)]
    }

    /// The named pool.
    ///
    /// - Throws: ``CommandFailure`` for a pool without entries that was never changed.
    func pool(_ name: PoolName, in client: TransferClient) async throws -> CachePool {
        guard try await client.cachePools().contains(where: { $0.pool == name.text }) else {
            throw CommandFailure(
                .other,
                code: "noSuchPool",
                "There is no pool \(name.text). `ferry cache` lists the existing ones.",
                hint: UnknownSubcommand.advice(on: name.text, in: "cache")
                    ?? "`ferry get --cache \(name.text) URL` downloads a file into it. `ferry cache --help` lists the commands."
            )
        }
        return client.cache(name.text)
    }

    /// Changes entries of a pool, and reports each.
    ///
    /// - Returns: status 3 if the pool lacks one of them.
    func change(
        _ arguments: CacheKeyArguments,
        in client: TransferClient,
        _ text: String,
        _ change: (CachePool, CacheKey) async throws -> CacheEntry?
    ) async throws -> ExitStatus {
        let pool = client.cache(arguments.pool.text)
        var status = ExitStatus.done
        for word in arguments.keys {
            let keys = CacheKey.named(by: word)
            var changed: CacheEntry?
            for key in keys where changed == nil { changed = try await change(pool, key) }
            guard let entry = changed else {
                tellAbsence(of: keys[0], from: pool, "`ferry get --cache \(pool.name) URL` downloads it.")
                status = .notFound
                continue
            }
            if console.appearance.json {
                console.data(entry.json)
            } else {
                let label = TerminalText.safe(entry.label)
                console.notice("\(label): \(text)", keeping: [label])
            }
        }
        return status
    }

    /// Says that a pool lacks an entry, with the next step.
    func tellAbsence(of key: CacheKey, from pool: CachePool, _ hint: String) {
        let text = "Pool \(pool.name) has no file of \(TerminalText.safe(key.label))."
        console.failure(CommandFailure(.notFound, code: "noSuchEntry", text, hint: hint))
    }

    /// Reports how many entries are gone.
    func tellEvicted(_ count: Int, _ verb: String) {
        if console.appearance.json {
            console.data(["removed": .int(Int64(count))])
        } else {
            console.notice("\(verb) \(count) \(count == 1 ? "entry" : "entries").")
        }
    }
}
