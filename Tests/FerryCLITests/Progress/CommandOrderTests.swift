import Ferry
import FerryTesting
import Testing

@testable import FerryCLI

@Suite struct CommandOrderTests {
    private func order(_ pages: [[Int64]]) -> CommandOrder {
        var order = CommandOrder()
        for page in pages { order.append(page.map(TransferID.init(rawValue:))) }
        return order
    }

    @Test func placesContinueFromPageToPage() {
        let order = order([[7, 8, 9], [10, 3], [200]])
        #expect([7, 8, 9, 10, 3, 200].map { order[TransferID(rawValue: $0)] } == [0, 1, 2, 3, 4, 5])
        #expect(order[TransferID(rawValue: 11)] == nil && order.count == 6)
    }

    @Test func theFirstPlaceOfATransferCounts() {
        let order = order([[5, 5, 6], [5, 7]])
        #expect([5, 6, 7].map { order[TransferID(rawValue: $0)] } == [0, 2, 4])
    }

    @Test(arguments: UInt64(1)...20)
    func agreesWithADictionary(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let ids = (0..<300).map { _ in TransferID(rawValue: Int64.random(in: 1...400, using: &random)) }
        var order = CommandOrder()
        order.append(ids[..<100])
        order.append(ids[100...])
        let expected = Dictionary(zip(ids, Int64(0)...)) { first, _ in first }
        for number in Int64(0)...401 {
            let id = TransferID(rawValue: number)
            #expect(order[id] == expected[id], "seed \(seed)")
        }
    }
}
