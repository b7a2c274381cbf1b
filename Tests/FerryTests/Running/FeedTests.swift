import Testing

@testable import Ferry

@Suite("What happens to an attempt", .timeLimit(.minutes(10)))
struct FeedTests {
    private let feed = Feed<Int>()

    @Test func isTakenInOrder() async {
        for number in 1...3 { feed.yield(number) }
        var taken: [Int?] = []
        for _ in 1...3 { taken.append(await feed.next()) }
        #expect(taken == [1, 2, 3])
    }

    @Test func isTakenOnceEachWhileOthersAdd() async {
        let count = 10_000
        let taken = await withDiscardingTaskGroup(returning: [Int].self) { group in
            for part in 0..<4 {
                group.addTask { [feed] in
                    for number in 0..<count where number % 4 == part { feed.yield(number) }
                }
            }
            var taken: [Int] = []
            while taken.count < count, let number = await feed.next() { taken.append(number) }
            return taken
        }
        #expect(taken.sorted() == Array(0..<count))
        for part in 0..<4 {
            let own = taken.filter { $0 % 4 == part }
            #expect(own == own.sorted())
        }
    }

    @Test func endsForACancelledTask() async {
        let waiting = Task { [feed] in await feed.next() }
        waiting.cancel()
        let element = await waiting.value
        #expect(element == nil)
        feed.yield(1)
        let next = await feed.next()
        #expect(next == nil)
    }

    @Test func givesACancelledTaskOnlyWhatCameBefore() async {
        feed.yield(1)
        let elements = await Task { [feed] in
            withUnsafeCurrentTask { $0?.cancel() }
            let first = await feed.next()
            feed.yield(2)
            return [first, await feed.next()]
        }.value
        #expect(elements == [1, nil])
    }
}
