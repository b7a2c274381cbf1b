import Testing

@testable import FerryIO

@Suite("The number of bytes per read")
struct BufferPlanTests {
    @Test func aShortResponseHasSmallReadsAndALongOneTheLargestSoon() {
        let plan = BufferPlan()
        #expect(plan.portion(afterReceiving: 0) == plan.firstReceiveBytes)
        #expect(plan.portion(afterReceiving: 10_000) == plan.firstReceiveBytes)
        #expect(plan.portion(afterReceiving: 2 * plan.receiveBytes) == plan.receiveBytes)
        #expect(plan.portion(afterReceiving: .max) == plan.receiveBytes)
        var portions: Set<Int> = []
        for arrived in stride(from: 0, to: 4 << 20, by: 4_096) {
            portions.insert(plan.portion(afterReceiving: arrived))
        }
        // The buffer is another one only a few times.
        #expect(portions.count <= 4)
    }

    @Test func itIsNeverMoreThanTheConnectionMayHave() {
        var plan = BufferPlan()
        plan.receiveBytes = 1_000
        for arrived in [0, 1, 1_000, 1 << 30] { #expect(plan.portion(afterReceiving: arrived) == 1_000) }
        #expect(BufferPlan().overTLS.portion(afterReceiving: 1 << 30) == BufferPlan().overTLS.receiveBytes)
    }

    /// With many connections, small files would otherwise take the memory that large ones need.
    @Test func smallFilesOverManyConnectionsTakeLittle() {
        #expect(16 * BufferPlan().portion(afterReceiving: 0) <= 1 << 20)
    }
}
