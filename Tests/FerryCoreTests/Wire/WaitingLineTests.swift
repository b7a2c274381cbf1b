import FerryTesting
import Testing

@testable import FerryCore

@Suite("A waiting line")
struct WaitingLineTests {
    @Test("serves in order, whoever leaves", arguments: UInt64(0)..<20)
    func servesInOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var line = WaitingLine<Int>()
        var model: [Int] = []
        for step in 0..<2_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                line.append(step)
                model.append(step)
            case 5: #expect(line.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            case 6: #expect(line.popLast() == model.popLast())
            case 7:
                // No one stands in line twice.
                if let known = model.randomElement(using: &random) { line.append(known) }
            default:
                guard let index = model.indices.randomElement(using: &random) else { continue }
                line.remove(model.remove(at: index))
            }
            #expect(line.count == model.count)
            #expect(line.first == model.first)
        }
        #expect(line.elements == model)
        line.remove(-1)
        #expect(line.elements == model)
    }
}
