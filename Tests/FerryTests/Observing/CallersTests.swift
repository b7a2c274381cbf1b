import FerryCore
import Testing

@testable import Ferry

@Suite("The callers of a download")
struct CallersTests {
    private let one = TransferID(rawValue: 1)
    private let other = TransferID(rawValue: 2)

    @Test func whoIsStillWaitingForTheStoreIsNotLeftWithoutIt() {
        let callers = Callers()
        callers.expect(["a"])
        #expect(callers.arrive(["a"], at: [one]) == [])
        // The second request is in the store when the first caller cancels.
        callers.expect(["a"])
        #expect(callers.withdraw(from: one, "a"))
        #expect(callers.arrive(["a"], at: [one]) == [])
        // Now the second caller is the last one.
        #expect(!callers.withdraw(from: one, "a"))
    }

    @Test func whoAsksForAnotherLeavesNothingToIt() {
        let callers = Callers()
        callers.expect(["a"])
        _ = callers.arrive(["a"], at: [one])
        callers.expect(["b"])
        #expect(!callers.withdraw(from: one, "a"))
        #expect(callers.arrive(["b"], at: [other]) == [])
    }

    @Test(arguments: [true, false])
    func whatWasLeftToOneWhoDidNotGetItIsEnded(_ gotAnother: Bool) {
        let callers = Callers()
        callers.expect(["a"])
        _ = callers.arrive(["a"], at: [one])
        callers.expect(["a"])
        callers.expect(["a"])
        #expect(callers.withdraw(from: one, "a"))
        // One caller may still get it.
        #expect(callers.arrive(["a"], at: []) == [])
        #expect(callers.arrive(["a"], at: gotAnother ? [other] : []) == [one])
        #expect(callers.arrive(["a"], at: []) == [])
    }

    @Test func severalOfOneCommandAreAsManyCallers() {
        let callers = Callers()
        callers.expect(["a", "a"])
        _ = callers.arrive(["a", "a"], at: [one, one])
        #expect(callers.withdraw(from: one, "a"))
        #expect(!callers.withdraw(from: one, "a"))
        callers.forget(one)
        #expect(!callers.withdraw(from: one, "a"))
    }
}
