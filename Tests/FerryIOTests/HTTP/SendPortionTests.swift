import NIOCore
import Testing

@testable import FerryIO

@Suite struct SendPortionTests {
    @Test func growsWhileTheNetworkIsFast() {
        var portion = SendPortion()
        for _ in 0..<10 { portion.took(.milliseconds(1)) }
        #expect(portion.bytes == SendPortion.most)
    }

    @Test func shrinksSoThatAPartNeverTakesLong() {
        var portion = SendPortion()
        portion.took(.milliseconds(1))
        portion.took(.seconds(3))
        #expect(portion.bytes == 32 * 1024)
        for _ in 0..<10 { portion.took(.seconds(30)) }
        #expect(portion.bytes == SendPortion.least)
    }

    @Test func staysWhileItIsRight() {
        var portion = SendPortion()
        portion.took(.seconds(1))
        #expect(portion == SendPortion())
    }
}
