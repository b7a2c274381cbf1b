import FerryCore
import Testing

struct TimeLeftTests {
    @Test(
        arguments: [
            (nil, "--"), (.zero, "0s"), (.seconds(-5), "0s"), (.milliseconds(-1), "0s"),
            (.milliseconds(1), "1s"),
            (.seconds(12), "12s"), (.milliseconds(59_001), "1m00s"), (.seconds(200), "3m20s"),
            (.seconds(3599), "59m59s"),
            (.seconds(3600), "1h00m"), (.seconds(3720), "1h02m"), (.seconds(86_399), "23h59m"),
            (.seconds(183_600), "2d03h"),
            (.seconds(8_640_000), ">99d"), (.seconds(Int64.max), ">99d"), (.seconds(Int64.min), "0s"),
        ] as [(Duration?, String)]
    )
    func readsAtAGlance(duration: Duration?, text: String) {
        #expect(TimeLeft(duration).description == text)
    }
}
