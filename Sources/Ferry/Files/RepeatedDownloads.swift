import FerryCore

/// Downloads that repeat earlier ones although they are spelled otherwise (``OtherSpelling``).
struct RepeatedDownloads {
    let seams: ClientSeams

    /// Maximum downloads that are compared with earlier ones in another spelling. A person repeats a command for a few.
    private static let most = 1_000

    /// The transfers as the earlier ones were spelled, so that they meet them.
    func asSpelledBefore(_ transfers: [NewTransfer]) async throws(StoreError) -> [NewTransfer] {
        guard transfers.count <= Self.most else { return transfers }
        let asked = Set(transfers.compactMap(\.work.identity))
        let open = transfers.indices.compactMap { index -> (index: Int, spelling: OtherSpelling)? in
            guard let spelling = transfers[index].work.otherSpelling,
                !asked.contains(spelling.specification.identity)
            else { return nil }
            return (index: index, spelling: spelling)
        }
        var respelled = transfers
        for page in open.pages {
            let works = page.map { Work.download(DownloadWork($0.spelling.specification)) }
            let found = try await seams.store.transfers(like: works)
            for ((index, spelling), others) in zip(page, found) where !others.isEmpty {
                let own = try await seams.store.transfers(like: [transfers[index].work])
                guard let earlier = spelling.repeated(of: others, besides: own[0]) else { continue }
                try await respell(&respelled[index], spelling, as: earlier)
            }
        }
        return respelled
    }

    private func respell(
        _ new: inout NewTransfer,
        _ spelling: OtherSpelling,
        as earlier: Transfer
    ) async throws(StoreError) {
        // A new download keeps the name that was given now.
        if earlier.state == .completed, await !seams.isFulfilled(new.work, by: earlier.work) {
            try await seams.update(&new, from: earlier)
        } else {
            new.work.spell(as: spelling)
        }
    }
}
