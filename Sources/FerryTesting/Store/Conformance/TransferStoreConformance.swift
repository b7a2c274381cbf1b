package import FerryCore
import Testing

/// The behaviours of every ``TransferStore``, checked one at a time.
///
/// ```swift
/// @Test(arguments: TransferStoreConformance.allCases)
/// func behavesAsAStore(_ behaviour: TransferStoreConformance.Behaviour) async throws {
///     try await TransferStoreConformance { try await MyStore() }.run(behaviour)
/// }
/// ```
package struct TransferStoreConformance: Sendable {
    /// One behaviour of a store.
    package struct Behaviour: Sendable, Hashable, CustomTestStringConvertible {
        /// The behaviour as a sentence in one word.
        package let name: String
        let check: @Sendable (any TransferStore) async throws -> Void

        /// Whether the behaviour closes the store.
        let closes: Bool

        init(
            _ name: String,
            closes: Bool = false,
            _ check: @escaping @Sendable (any TransferStore) async throws -> Void
        ) {
            self.name = name
            self.closes = closes
            self.check = check
        }

        /// The name that identifies a test case.
        package var testDescription: String { name }

        /// Compares behaviours by their names.
        package static func == (lhs: Behaviour, rhs: Behaviour) -> Bool { lhs.name == rhs.name }

        /// Hashes the name.
        package func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    private let makeStore: @Sendable () async throws -> any TransferStore

    /// Creates the suite; `makeStore` returns a new, empty store each time.
    package init(makeStore: @escaping @Sendable () async throws -> any TransferStore) {
        self.makeStore = makeStore
    }

    /// Every behaviour.
    package static let allCases: [Behaviour] =
        adding + KeptPartBehaviours.all + twins + claiming + running + steering + owning + looking + finding
        + keeping + remembering
        + queueing + strictness + ordering + overflowing + displacing + depending + pruning + windows
        + DeadlineBehaviours.all + wishing + suspecting + backgrounding + secrecy + requesting + uploading
        + resolving
        + naming + valuing + ResultBehaviours.all + TreeBehaviours.all + WalkBehaviours.all
        + NeededOrderBehaviours.all + NeededBehaviours.all + CacheBehaviours.all + EvictionBehaviours.all
        + EntryNodeBehaviours.all + PoolSettingBehaviours.all

    /// Checks one behaviour on a new store, which is closed afterwards.
    package func run(_ behaviour: Behaviour) async throws {
        let store = try await makeStore()
        do {
            try await behaviour.check(store)
            if !behaviour.closes { #expect(try await store.verify() == [], "the store is sound afterwards") }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }
}
