import FerryCore

/// The part files that cancelled downloads have left, and that new downloads resume from.
struct KeptParts {
    let seams: ClientSeams

    /// Names the cancelled transfer whose part file each of these downloads takes over, where there is one.
    ///
    /// - Parameter indices: the transfers to look at.
    func offer(to transfers: inout [NewTransfer], at indices: [Int]) async throws(StoreError) {
        let open = indices.filter { index in
            guard let work = transfers[index].work.download else { return false }
            return work.isUntouched && !work.specification.isStream
        }
        guard !open.isEmpty, try await seams.store.counts()[.cancelled, default: 0] > 0 else { return }
        for page in open.pages {
            let twins = try await seams.store.transfers(like: page.map { transfers[$0].work })
            for (index, known) in zip(page, twins) {
                // A new request meets an unfinished or failed transfer, which has bytes of its own.
                guard known.allSatisfy(\.state.name.isOver) else { continue }
                for transfer in known {
                    guard let kept = KeptPart(of: transfer), try await isFree(kept) else { continue }
                    transfers[index].keptBy = transfer.id
                }
            }
        }
    }

    /// Whether the part file is still under its name, unchanged, and no other transfer has it.
    private func isFree(_ kept: KeptPart) async throws(StoreError) -> Bool {
        let entry: FileSurvey.Entry
        do throws(StorageProblem) {
            let survey = try await seams.files.survey(kept.place)
            guard let part = survey.part, !survey.isPartHeld, kept.isIntact(in: survey) else { return false }
            entry = part
        } catch {
            // The first attempt meets the same problem, and reports it.
            return false
        }
        let claimant = try await ClaimSearch(store: seams.store).claimant(of: [entry])
        return if case .none = claimant { true } else { false }
    }
}
