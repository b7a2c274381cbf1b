import Ferry
import Testing

@testable import FerryCLI

/// Which transfer has the name that another one did not get.
@Suite struct NameHoldersTests {
    @Test func aLongListOfNamesThatAreTakenReadsTheStoreOnce() async throws {
        var holders = NameHolders()
        var reads = 0
        for number in 0..<5_000 {
            let holder = try await holders.holder(of: "/d/\(number)", at: Sample.now) {
                reads += 1
                return ["/d/7": TransferID(rawValue: 70)]
            }
            #expect(holder == (number == 7 ? TransferID(rawValue: 70) : nil))
        }
        #expect(reads == 1)
    }

    @Test func whatWasReadIsBelievedForAMomentOnlyWhateverTheClockDoes() async throws {
        let lifetime = NameHolders.lifetime
        for (later, isReadAgain) in [(Duration.zero, false), (lifetime, true), (.seconds(-1), true)] {
            var holders = NameHolders()
            _ = try await holders.holder(of: "/d/a", at: Sample.now) { [:] }
            let found = try await holders.holder(of: "/d/a", at: Sample.now.advanced(by: later)) {
                ["/d/a": TransferID(rawValue: 1)]
            }
            #expect((found != nil) == isReadAgain, "\(later)")
        }
    }

    @Test func aReadThatFailedIsRepeated() async throws {
        var holders = NameHolders()
        await #expect(throws: CancellationError.self) {
            _ = try await holders.holder(of: "/d/a", at: Sample.now) { throw CancellationError() }
        }
        let found = try await holders.holder(of: "/d/a", at: Sample.now) { ["/d/a": TransferID(rawValue: 1)] }
        #expect(found == TransferID(rawValue: 1))
    }
}
