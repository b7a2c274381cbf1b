import FerryCore
import Testing

extension TransferStoreConformance {
    static let looking: [Behaviour] = [
        Behaviour("findsTheLatestThatWasCompletedBefore") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let first = try await store.addOne("again", in: .completed, owner: owner)
            let second = try await store.addOne("again", in: .completed, owner: owner)
            _ = try await store.addOne("again")
            _ = try await store.addOne("other", in: .cancelled, owner: owner)
            let specifications = try ["other", "again", "never"].map { try Sample.specification($0) }
            let found = try await store.completed(like: specifications)
            #expect(found.map { $0?.id } == [nil, second.id, nil] && first.id < second.id)
            #expect(try await store.completed(like: [Work]()).isEmpty)
        },
        Behaviour("findsSeveralInTheOrderAsked") { store in
            let news = try (0..<3).map { try Sample.new("file-\($0)") }
            let added = try await store.add(news, holder: nil, at: Sample.start).map(\.transfer)
            let none = TransferID(rawValue: .max)
            let asked = [added[2].id, none, added[0].id, added[2].id]
            #expect(try await store.transfers(asked) == [added[2], nil, added[0], added[2]])
            #expect(try await store.transfers([]).isEmpty)
        },
        Behaviour("tellsWhatEachAttemptHasToObey") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var transfers: [Transfer] = []
            for (number, state) in everyState.enumerated() {
                transfers.append(try await store.addOne("file-\(number)", in: state, owner: owner))
            }
            let active = try #require(transfers.first { $0.state == .active })
            var edit = TransferEdit()
            edit.rateLimit = try RateLimit(bytesPerSecond: 50_000)
            _ = try await store.edit(active.id, edit, at: Sample.start)
            _ = try await store.ask(.cancel(keepingPart: true), of: active.id, holder: nil, at: Sample.start)
            let ids = transfers.map(\.id) + [TransferID(rawValue: .max)]
            let rows = try await store.transfers(ids)
            #expect(try await store.orders(for: ids) == rows.map { $0.map { AttemptOrders($0) } })
            let orders = try #require(try await store.orders(for: [active.id])[0])
            #expect(orders.claim == active.claim && orders.claim != nil)
            #expect(orders.wish == .cancel(keepingPart: true) && orders.rateLimit != .off)
            #expect(try await store.orders(for: []).isEmpty)
        },
        Behaviour("pagesThroughEverythingInOrderOnce") { store in
            let news = try (0..<25).map { try Sample.new("file-\($0)", priority: $0 % 4) }
            let ids = try await store.add(news, holder: nil, at: Sample.start).map(\.transfer.id)
            var seen: [TransferID] = []
            while case let page = try await store.transfers(.all, after: seen.last, limit: 7), !page.isEmpty {
                #expect(page.count <= 7)
                seen += page.map(\.id)
            }
            #expect(seen == ids)
            #expect(try await store.transfers(.all, after: nil, limit: 0) == [])
            #expect(try await store.transfers(.all, after: nil, limit: -1) == [])
            #expect(try await store.transfers(.all, after: TransferID(rawValue: .max), limit: 5) == [])
            #expect(try await store.transfers(.all, after: nil, limit: .max).count == 25)
        },
        Behaviour("listsFromTheNewestToTheOldest") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for queue in ["q", "r"] { try await store.set(queue) { ($0.slots, $0.perHost) = (0, 0) } }
            var all: [Transfer] = []
            for (number, state) in (everyState + everyState).enumerated() {
                let queue = number % 3 == 0 ? "q" : "r"
                all.append(try await store.addOne("\(number)", in: state, owner: owner, queue: queue))
            }
            let tag = try TransferTag("album")
            var tagged = try Sample.new("tagged")
            tagged.tag = tag
            all.append(
                try #require(try await store.add([tagged], holder: nil, at: Sample.start).first).transfer
            )
            let filters: [TransferFilter] = [
                .all, .unfinished, .unfinishedOrFailed, .waiting(.network),
                .states([.cancelled, .completed]),
                .states([.active, .failed]),
            ]
            let states = TransferState.Name.allCases.map { TransferFilter.state($0) }
            let narrow = filters.map { $0.of(queue: "q") } + filters.map { $0.of(tag: tag) }
            for filter in filters + states + narrow {
                let expected = Array(all.filter { filter.passes($0) }.reversed())
                var seen: [Transfer] = []
                while case let page = try await store.transfers(
                    filter,
                    in: .newestFirst(before: seen.last?.id),
                    limit: 3
                ), !page.isEmpty {
                    #expect(page.count <= 3)
                    seen += page
                }
                #expect(seen == expected, "\(filter)")
            }
            let (newest, whole) = (ListOrder.newestFirst(before: nil), Array(all.reversed()))
            #expect(try await store.transfers(.all, in: newest, limit: 0) == [])
            #expect(try await store.transfers(.all, in: newest, limit: -1) == [])
            #expect(try await store.transfers(.all, in: newest, limit: .max) == whole)
            let first = all[0].id
            #expect(try await store.transfers(.all, in: .newestFirst(before: first), limit: 9) == [])
        },
        Behaviour("filtersByState") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            var all: [Transfer] = []
            for round in 0..<2 {
                for (number, state) in everyState.enumerated() {
                    all.append(try await store.addOne("\(round)-\(number)", in: state, owner: owner))
                }
            }
            let unfinished = all.filter { !$0.state.isFinal }
            let incomplete = all.filter { $0.state != .completed && $0.state != .cancelled }
            #expect(try await store.transfers(.all, after: nil, limit: 100) == all)
            #expect(try await store.transfers(.unfinished, after: nil, limit: 100) == unfinished)
            #expect(try await store.transfers(.unfinishedOrFailed, after: nil, limit: 100) == incomplete)
            #expect(
                try await store.transfers(.unfinished, after: nil, limit: 3) == Array(unfinished.prefix(3))
            )
            #expect(
                try await store.transfers(.unfinishedOrFailed, after: incomplete[4].id, limit: 6)
                    == Array(incomplete[5..<11])
            )
            for state in everyState {
                let expected = all.filter { $0.state.name == state.name }
                #expect(try await store.transfers(.state(state.name), after: nil, limit: 100) == expected)
            }
        },
        Behaviour("filtersByStatesAndQueueTogether") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for queue in ["q", "r"] { try await store.set(queue) { ($0.slots, $0.perHost) = (0, 0) } }
            var all: [Transfer] = []
            for (number, state) in (everyState + everyState).enumerated() {
                let queue = number % 3 == 0 ? "q" : "r"
                all.append(try await store.addOne("\(number)", in: state, owner: owner, queue: queue))
            }
            let choices: [[TransferState.Name]?] = [
                nil, [.failed, .queued], [.paused, .paused], [], [.queued, .active, .waiting, .paused],
                TransferState.Name.allCases.filter { $0 != .completed && $0 != .cancelled },
            ]
            for states in choices {
                for queue in [nil, "q", "r", "none"] {
                    let expected = all.filter { transfer in
                        states?.contains(transfer.state.name) != false
                            && queue.map { transfer.queue == $0 } != false
                    }
                    var filter = states.map(TransferFilter.states) ?? .all
                    if let queue { filter = filter.of(queue: queue) }
                    #expect(try await store.transfers(filter, after: nil, limit: 100) == expected)
                    guard let first = expected.first?.id else { continue }
                    let page = Array(expected.dropFirst().prefix(2))
                    #expect(try await store.transfers(filter, after: first, limit: 2) == page)
                }
            }
        },
        Behaviour("countsByState") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            for (number, state) in everyState.enumerated() {
                _ = try await store.addOne("file-\(number)", in: state, owner: owner)
            }
            let expected: [TransferState.Name: Int] = [
                .queued: 1, .active: 1, .waiting: 8, .paused: 1, .completed: 1, .failed: 1, .cancelled: 1,
            ]
            #expect(try await store.counts() == expected)
        },
        Behaviour("knowsWhenTheNextWaitEnds") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            #expect(try await store.nextWakeTime(for: owner) == nil)
            _ = try await store.addOne("a", in: .waiting(.network), owner: owner)
            #expect(try await store.nextWakeTime(for: owner) == nil)
            _ = try await store.addOne("b", in: .waiting(.window(opens: Sample.start + 9)), owner: owner)
            #expect(try await store.nextWakeTime(for: owner) == Sample.start + 9)
            let retry = try await store.addOne("c", in: .waiting(.retry(at: Sample.start + 5)), owner: owner)
            #expect(try await store.nextWakeTime(for: owner) == Sample.start + 5)
            _ = try await store.ask(.pause, of: retry.id, at: Sample.start)
            #expect(try await store.nextWakeTime(for: owner) == Sample.start + 9)
        },
        Behaviour("tellsEveryListenerOfAChange") { store in
            var first = store.changes().makeAsyncIterator()
            var second = store.changes().makeAsyncIterator()
            let added = try await store.addOne("a")
            #expect(await first.next() != nil)
            #expect(await second.next() != nil)
            _ = try await store.ask(.pause, of: added.id, at: Sample.start)
            #expect(await first.next() != nil)
        },
        Behaviour("tellsAFailureToTheOneWhoseWriteFailed") { store in
            let owner = try await store.join(Sample.process(), at: Sample.start)
            let missing = TransferID(rawValue: 500)
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        do {
                            if number.isMultiple(of: 2) {
                                _ = try await store.addOne("file-\(number)", holder: owner)
                            } else {
                                try await store.forget([missing])
                            }
                            return number.isMultiple(of: 2)
                        } catch {
                            return error as? StoreError == .noSuchTransfer(missing)
                                && !number.isMultiple(of: 2)
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count == 40 && outcomes.allSatisfy { $0 })
            #expect(try await store.counts() == [.queued: 20])
        },
        Behaviour("keepsAWriteWhoseCallerWasCancelled") { store in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.addOne("file").id
            }
            let id = try await task.value
            #expect(try await store.existing(id).state == .queued)
        },
        Behaviour("refusesEverythingAfterItWasClosed", closes: true) { store in
            _ = try await store.addOne("file")
            let stream = store.changes()
            await store.close()
            await store.close()
            for await _ in stream {}
            for await _ in store.changes() {}
            await expectError(\.isUnavailable) { _ = try await store.addOne("other") }
            await expectError(\.isUnavailable) { _ = try await store.counts() }
        },
    ]
}
