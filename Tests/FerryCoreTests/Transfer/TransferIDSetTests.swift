import FerryCore
import FerryTesting
import Testing

@Suite("Sets of transfers")
struct TransferIDSetTests {
    /// Numbers at both ends of a page and far away, also those that only another program can have written.
    private static let numbers: [Int64] = [
        .min, -65, -64, -1, 0, 1, 2, 62, 63, 64, 65, 127, 128, 100_000, .max,
    ]

    @Test("has the members that a set of the standard library has", arguments: UInt64(1)...20)
    func agreesWithSet(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (set, expected) = (TransferIDSet(), Set<TransferID>())
        for _ in 0..<200 {
            let id = TransferID(rawValue: Self.numbers.randomElement(using: &random) ?? 0)
            if Bool.random(using: &random) {
                set.insert(id)
                expected.insert(id)
            } else {
                set.remove(id)
                expected.remove(id)
            }
            #expect(set.count == expected.count && set.isEmpty == expected.isEmpty, "seed \(seed)")
            #expect(set.sorted() == expected.sorted(), "seed \(seed)")
            #expect(set == TransferIDSet(expected), "seed \(seed)")
            for number in Self.numbers {
                let id = TransferID(rawValue: number)
                #expect(set.contains(id) == expected.contains(id), "seed \(seed)")
            }
        }
    }

    @Test("a union has the members of both sets", arguments: UInt64(1)...20)
    func unites(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func some() -> Set<TransferID> {
            Set(Self.numbers.filter { _ in Bool.random(using: &random) }.map(TransferID.init(rawValue:)))
        }
        let (one, other) = (some(), some())
        var union = TransferIDSet(one)
        union.formUnion(TransferIDSet(other))
        #expect(union == TransferIDSet(one.union(other)), "seed \(seed)")
        #expect(union.count == one.union(other).count, "seed \(seed)")
    }

    @Test("a copy stays as it was")
    func copiesAreValues() {
        var set: TransferIDSet = [TransferID(rawValue: 1), TransferID(rawValue: 2)]
        let copy = set
        set.remove(TransferID(rawValue: 1))
        #expect(set == [TransferID(rawValue: 2)])
        #expect(copy == [TransferID(rawValue: 2), TransferID(rawValue: 1), TransferID(rawValue: 2)])
    }
}
