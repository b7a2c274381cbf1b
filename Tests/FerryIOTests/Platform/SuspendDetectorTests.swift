import Testing

@testable import FerryIO

@Suite("Noticing that the machine was suspended")
struct SuspendDetectorTests {
    @Test func onlyAClockThatRanAheadOfTheOtherTellsOfIt() {
        var detector = SuspendDetector(whole: .seconds(100), waking: .seconds(40))
        func look(_ whole: Duration, _ waking: Duration) -> Bool {
            detector.hasSlept(whole: whole, waking: waking)
        }
        #expect(!look(.seconds(101), .seconds(41)))
        // However late it is looked, both went on.
        #expect(!look(.seconds(901), .seconds(841)))
        #expect(!look(.milliseconds(902_900), .milliseconds(842_001)))
        #expect(look(.milliseconds(903_900), .milliseconds(842_001)))
        // Once only.
        #expect(!look(.milliseconds(904_900), .milliseconds(843_001)))
        #expect(look(.seconds(90_000), .seconds(844)))
        #expect(!look(.seconds(90_001), .seconds(845)))
    }
}
