import FerryCore
import Testing

@testable import Ferry

@Suite("The names of files that are being fetched")
struct FinalNamesTests {
    private let first = TransferID(rawValue: 1)
    private let second = TransferID(rawValue: 2)

    @Test func oneTransferHasAName() {
        let names = FinalNames()
        #expect(names.take("/d/a", for: first) == nil)
        #expect(names.take("/d/a", for: first) == nil, "it has the name already")
        #expect(names.take("/d/a", for: second) == first)
        #expect(names.take("/e/a", for: second) == nil, "another directory")
        names.giveBack(of: first)
        #expect(names.take("/d/a", for: second) == nil)
    }

    @Test func aTransferHasOneName() {
        let names = FinalNames()
        #expect(names.take("/d/a", for: first) == nil && names.take("/d/b", for: first) == nil)
        #expect(names.take("/d/a", for: second) == nil)
        names.giveBack(of: first)
        #expect(names.take("/d/b", for: second) == nil)
    }

    @Test func twoSpellingsOfOneCharacterAreTwoNames() {
        let names = FinalNames()
        #expect(names.take("/d/\u{E9}", for: first) == nil)
        #expect(names.take("/d/e\u{301}", for: second) == nil)
    }
}
