import FerryCore

/// The ends of waits that no clock brings.
extension Scheduler {
    /// Reacts to what changes in the network, until the task is cancelled.
    func watchNetwork() async {
        for await change in seams.network.changes() {
            await network.react(to: change)
            networkWaits.look()
        }
    }

    /// Ends the waits for the network whenever `looks` has an element, until the task is cancelled.
    func endWaitsForNetwork(_ owner: OwnerID, when looks: AsyncStream<Void>) async {
        do throws(StoreError) {
            try await networkWaits.run(for: owner, when: looks) { self.signal(.timer) }
        } catch {
            fail(error)
        }
    }

    /// Queues what waited for space on a disk that has enough of it now. An engine that only follows leaves that
    /// to the person whom it has told.
    func endWaitsForSpace() async throws(StoreError) {
        guard configuration.scope != .followed else { return }
        let offline = TransferFilter.waiting(WaitCondition.network.name)
        if try await !seams.store.transfers(offline, after: nil, limit: 1).isEmpty { networkWaits.look() }
        let waiting = TransferFilter.waiting(WaitCondition.diskSpace(needed: 0).name)
        // Many may wait for one disk, which is asked once.
        var known: [String: Int64] = [:]
        var last: TransferID?
        repeat {
            let page = try await seams.store.transfers(waiting, after: last, limit: Self.pageLength)
            for transfer in page where transfer.claim == nil {
                guard case .waiting(.diskSpace(let needed)) = transfer.state, let place = transfer.place
                else { continue }
                let free: Int64
                if let space = known[place.directory] {
                    free = space
                } else {
                    free = await freeSpace(in: place.directory)
                    known[place.directory] = free
                }
                if free >= needed { try await endWait(of: transfer) }
            }
            last = page.count == Self.pageLength ? page.last?.id : nil
        } while last != nil
    }

    private func endWait(of transfer: Transfer) async throws(StoreError) {
        guard case .waiting(let condition) = transfer.state else { return }
        let now = seams.clock.now
        // In the meantime somebody may have paused it, or another process may have gone on with it.
        if let queued = try await seams.store.endWait(of: transfer.id, for: condition, holder: nil, at: now) {
            hub.publish(queued)
        }
    }

    private func freeSpace(in directory: String) async -> Int64 {
        do throws(StorageProblem) {
            return try await seams.files.freeSpace(in: directory)
        } catch {
            // Whatever is wrong with it, there is no space to be had there yet.
            return 0
        }
    }
}
