import FerryCore
import Testing

@testable import Ferry

/// The body that a connection hands over. Either the connection or the one that takes the body reports its end.
@Suite("The body that a connection hands over")
struct ConnectionControlTests {
    private let control = ConnectionControl(NetworkWatch(UnwatchedNetwork()).begin())

    @Test func isTakenOnce() {
        #expect(control.takeBody() == nil)
        #expect(!control.hasHandedOver)
        control.handOver([1, 2])
        #expect(control.hasHandedOver)
        #expect(control.takeBody() == [1, 2])
        #expect(control.takeBody() == nil)
        #expect(control.hasHandedOver)
        #expect(!control.disconnect())
    }

    @Test func isDroppedWithItsConnection() {
        control.handOver([1, 2])
        #expect(control.disconnect())
        #expect(control.takeBody() == nil)
        #expect(control.hasHandedOver)
        #expect(!control.disconnect())
    }

    @Test func isRefusedAfterACut() {
        #expect(!control.disconnect())
        control.handOver([1, 2])
        #expect(!control.hasHandedOver)
        #expect(control.takeBody() == nil)
    }
}
