import Testing

@testable import FerryCore

/// Whether a command has to start threads to find out that it can.
@Suite("Room for threads")
struct ThreadRoomTests {
    @Test(
        "a command tries to start its threads, unless the user and all control groups have far more",
        arguments: [
            (.max, [], true), (4096, [], true), (4095, [], false), (nil, [], false), (.max, nil, false),
            (.max, [(1100, 10)], true), (.max, [(1033, 10)], false), (.max, [(9000, 8500)], false),
            (.max, [(9000, 20), (100, 20)], false), (.max, [(10, 20)], false), (16, [(9000, 20)], false),
        ] as [(Int?, [(limit: Int, tasks: Int)]?, Bool)]
    )
    func ample(_ userLimit: Int?, _ groups: [(limit: Int, tasks: Int)]?, _ isAmple: Bool) {
        let groups = groups?.map { ThreadRoom.Group(limit: $0.limit, tasks: $0.tasks) }
        #expect(ThreadRoom(userLimit: userLimit, groups: groups).isAmple == isAmple)
    }
}
