import FerryCore
import FerrySQLite
import FerryTesting
import Testing

/// The live store does what every store does.
struct StoreConformanceTests {
    @Test(arguments: TransferStoreConformance.allCases)
    func behavesAsAStore(_ behaviour: TransferStoreConformance.Behaviour) async throws {
        let directory = try StoreDirectory()
        try await TransferStoreConformance { [path = directory.path] in
            try await SQLiteTransferStore.open(directory: path)
        }.run(behaviour)
    }
}
