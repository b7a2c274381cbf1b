import FerryCore
import Testing

/// The settings of pools.
enum PoolSettingBehaviours {
    typealias Behaviour = TransferStoreConformance.Behaviour

    /// Every behaviour.
    static let all: [Behaviour] = [
        Behaviour("keepsTheSettingsOfPools") { store in
            #expect(try await store.pool(named: "pool") == CacheSettings("pool"))
            let edited = try await store.edit(pool: "pool") {
                ($0.maxBytes, $0.maxAge, $0.freshFor) = (.max, .seconds(7), .some(nil))
                $0.directory = "/cache"
            }
            #expect(edited.maxBytes == .max && edited.maxAge == .seconds(7) && edited.freshFor == nil)
            #expect(try await store.pool(named: "pool") == edited)
            #expect(try await store.pools() == [edited])
            await expectError({ $0 == .refusedPool(.negative) }) {
                _ = try await store.edit(pool: "pool") { $0.maxBytes = -1 }
            }
            #expect(try await store.pool(named: "pool") == edited)
            _ = try await store.importEntry("a", bytes: 10)
            await expectError({ $0 == .refusedPool(.hasEntries) }) {
                _ = try await store.edit(pool: "pool") { $0.directory = "/other" }
            }
            #expect(try await store.edit(pool: "pool") { $0.directory = "/cache" } == edited)
        },
        Behaviour("givesNoPoolTheDirectoryOfAnotherOne") { store in
            _ = try await store.edit(pool: "pool") { $0.directory = "/cache/a" }
            for path in ["/cache/a", "/cache/a/", "/cache/a/b", "/cache", "/"] {
                await expectError({ $0 == .refusedPool(.directoryInUse(path, by: "pool")) }) {
                    _ = try await store.edit(pool: "other") { $0.directory = path }
                }
            }
            #expect(try await store.pool(named: "other").directory == nil)
            for path in ["/cache/ab", "/cache/b"] {
                #expect(try await store.edit(pool: "other") { $0.directory = path }.directory == path)
            }
            // The directory is free when its pool has another one.
            _ = try await store.edit(pool: "pool") { $0.directory = .some(nil) }
            #expect(try await store.edit(pool: "other") { $0.directory = "/cache/a" }.directory == "/cache/a")
        },
    ]
}

extension TransferStore {
    /// Changes the settings of a pool.
    func edit(
        pool: String,
        _ change: (inout CacheEdit) -> Void
    ) async throws(StoreError) -> CacheSettings {
        var edit = CacheEdit()
        change(&edit)
        return try await self.edit(pool: pool, edit)
    }
}
