import Ferry
import FerryFrontend

/// The checks of `ferry doctor` that read the store.
enum StoreChecks {
    /// The store's integrity and what was repaired, its owners, and transfers that wait for a person.
    static func all(_ engine: some TransferAccess) async throws -> [CheckReport] {
        let mended = try await engine.mendStore()
        let faults = try await engine.verifyStore()
        let unread = await engine.damagedTransfers()
        let damaged = Dictionary(unread.map { ($0.problem, $0.id) }, uniquingKeysWith: { first, _ in first })
        var reports = faults.map { fault in
            CheckReport.problem(
                "store",
                fault,
                hint: damaged[fault].map { "The other transfers run. `ferry remove \($0)` removes this one." }
                    ?? "Move the data directory aside; part files stay where they are."
            )
        }
        if reports.isEmpty { reports.append(.ok("store", "intact")) }
        reports += mended.map { .note("store", "repaired: \($0)") }
        reports += unread.filter(\.isOfNewerFerry).map { transfer in
            .note(
                "transfer \(transfer.id)",
                "a newer Ferry added it, and it is left as it is; \(TerminalText.safe(transfer.problem))",
                hint: "Update ferry."
            )
        }
        reports += try await pausedQueues(engine)
        reports += try await owners(engine)
        reports += try await transfers(engine)
        reports += try await pools(engine)
        return reports
    }

    /// Reports files of pools that are not served any more, and those that could not be deleted.
    private static func pools(_ engine: some TransferAccess) async throws -> [CheckReport] {
        var reports: [CheckReport] = []
        for settings in try await engine.cachePools() {
            let pool = engine.cache(settings.pool)
            var (count, example) = (0, "")
            try await pool.forEachEntry { listed in
                guard let fault = listed.file?.fault else { return }
                count += 1
                if count == 1 { example = "\(listed.entry.label): \(fault)" }
            }
            if count > 0 {
                reports.append(
                    .note(
                        "pool \(pool.name)",
                        "\(count) \(count == 1 ? "file is" : "files are") not served, such as \(example)",
                        hint:
                            "They are downloaded again when they are asked for. `ferry cache list \(pool.name)` shows them."
                    )
                )
            }
            let undeleted = try await pool.undeletedCount
            if undeleted > 0 {
                reports.append(
                    .note(
                        "pool \(pool.name)",
                        "\(undeleted) \(undeleted == 1 ? "file" : "files") of removed entries could not be deleted yet",
                        hint:
                            "`ferry cache trim \(pool.name)` tries again; with -v it says what is in the way."
                    )
                )
            }
        }
        return reports
    }

    /// A queue with an unreadable row is paused when it is repaired.
    private static func pausedQueues(_ engine: some TransferAccess) async throws -> [CheckReport] {
        try await engine.changedQueues().filter(\.isPaused).map { queue in
            .note(
                "queue \(queue.name)",
                "is paused; none of its transfers starts",
                hint: "`ferry queue resume \(queue.name)` lets them start."
            )
        }
    }

    private static func owners(_ engine: some TransferAccess) async throws -> [CheckReport] {
        let owners = try await engine.owners()
        guard !owners.isEmpty else { return [.ok("processes", "no process runs transfers")] }
        return owners.map { owner in
            let name = "process \(owner.process.pid)"
            return switch engine.life(of: owner) {
            case .alive: .ok(name, "running since \(SystemTime.local(owner.joined))")
            case .unproved:
                .note(
                    name,
                    "joined \(SystemTime.local(owner.joined)) in another container; nothing shows whether it still runs",
                    hint:
                        "Its transfers are kept for it. If it is gone, `ferry resume --take-over` resumes them."
                )
            case .dead:
                .note(
                    name,
                    "has died; its transfers are kept",
                    hint: "Resume them with `ferry run` or `ferry resume`."
                )
            }
        }
    }

    private static func transfers(_ engine: some TransferAccess) async throws -> [CheckReport] {
        var counts = try await engine.counts()
        let owners = try await OwnerDirectory(engine)
        if owners.hasDead {
            // Counted as `ferry list` shows them.
            for try await transfer in engine.transfers(.state(.active)) {
                let state = owners.shown(transfer, at: SystemTime.now).state.name
                counts[.active, default: 0] -= 1
                counts[state, default: 0] += 1
            }
        }
        let text = counts.filter { $0.value > 0 }.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        var reports = [CheckReport.ok("transfers", text.isEmpty ? "none" : text)]
        let now = SystemTime.now
        for try await transfer in engine.transfers(.state(.waiting)) {
            func note(_ hint: String) {
                reports.append(
                    .note("transfer \(transfer.id)", transfer.stateText(at: now), hint: hint)
                )
            }
            switch transfer.state {
            case .waiting(.newURL): note("`ferry edit \(transfer.id) --url URL` gives one.")
            case .waiting(.diskSpace): note("Free some space, then `ferry resume \(transfer.id)`.")
            case .waiting(.diskMount): note("\(transfer.diskStep), then `ferry resume \(transfer.id)`.")
            case .waiting(.dependency):
                if let report = try await vainWait(of: transfer, engine) { reports.append(report) }
            default: break
            }
            if reports.count >= 100 { break }
        }
        return reports
    }

    /// Reports a transfer that waits for one that does not exist.
    private static func vainWait(
        of transfer: Transfer,
        _ engine: some TransferAccess
    ) async throws -> CheckReport? {
        for other in transfer.dependencies {
            do throws(StoreError) {
                _ = try await engine.snapshot(of: other)
            } catch .noSuchTransfer {
                return .problem(
                    "transfer \(transfer.id)",
                    "waits for transfer \(other), which does not exist",
                    hint: "`ferry edit \(transfer.id) --after none` makes it wait for no other transfer."
                )
            } catch .damagedTransfer, .newerTransfer {
                // The row that cannot be read is reported elsewhere.
            }
        }
        return nil
    }
}
