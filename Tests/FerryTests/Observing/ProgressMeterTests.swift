import FerryCore
import Testing

@testable import Ferry

@Suite struct ProgressMeterTests {
    @Test func onlyConnectionsThatBringBytesAreCounted() {
        let meter = ProgressMeter(received: 0, total: 100)
        let (first, second) = (ConnectionID(rawValue: 1), ConnectionID(rawValue: 2))
        #expect(meter.progress.connections == nil)
        meter.begin(first, at: 0, known: 0)
        meter.begin(second, at: 50, known: 50)
        #expect(meter.progress.connections == 2)
        meter.end(first)
        #expect(meter.progress.connections == 1)
        meter.end(second)
        #expect(meter.progress.connections == nil)
    }
}
