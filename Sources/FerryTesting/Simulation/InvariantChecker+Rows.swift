import FerryCore
internal import Synchronization

/// The invariants of the rows.
extension InvariantChecker {
    /// Checks the rows after every write to the store.
    func checkRows() {
        let (known, owners, identities) = look { image in
            (image.rows.mapValues(\.transfer), Set(image.owners.keys), image.identities.count)
        }
        if identities != known.values.count(where: { !$0.state.isFinal && $0.work.identity != nil }) {
            trace.complain("identity: two transfers that are not over are the same one")
        }
        let state = state.withLock { $0 }
        for id in state.acknowledged where known[id] == nil && !state.forgotten.contains(id) {
            trace.complain("I3: transfer \(id) was acknowledged and is gone")
        }
        for id in state.completed {
            guard let latest = known[id]?.state.name, latest != .completed else { continue }
            trace.complain("I8: transfer \(id) was completed and is \(latest) now")
        }
        checkOrder(of: known)
        checkEnds(of: known)
        calls.check(known)
        copies.check(known)
        if scenario.keeps {
            let image = look { $0 }
            trees.check(image)
            pools.check(image)
        }
        for (id, row) in known {
            if let claim = row.claim, !owners.contains(claim.owner) {
                trace.complain("I4: transfer \(id) is held by an owner that is not there")
            }
            if row.state == .active, row.claim == nil {
                trace.complain("I4: transfer \(id) is active and has no owner")
            }
            if row.state == .active, row.attemptStarted == nil {
                trace.complain("transfer \(id) is active, and its attempt has no start")
            }
            if let count = row.download?.progress.segments.segments.count, count > 64 {
                trace.complain("I9: transfer \(id) has \(count) segments")
            }
        }
    }

    /// Checks a failure: a transfer that can resume later waits; only one that can never work fails (I10).
    func checkFailure(_ failure: TransferFailure, of transfer: Transfer) {
        let site = site(of: transfer.id)
        let options = transfer.specification.options
        let hasChanged = (site?.versions.count ?? 0) > 1
        let hasLied = site?.hasLied ?? false
        let isAllowed =
            switch failure.code {
            // A caller that asks again just as the file is finished, or while it cannot be surveyed, gets a
            // new transfer, which then meets that file.
            case .destinationExists where isDoneAlready(transfer): true
            // Another transfer may have taken the name of a lost part file.
            case .destinationExists, .cannotCreate, .partFileLost: namesMayClash
            // A file that is left as it is may be another one.
            case .checksumMismatch where options.mayAcceptFile && namesMayClash:
                options.checksum != nil
            case .checksumMismatch: options.checksum != nil && (hasChanged || hasLied)
            // A false length looks like another version.
            case .resourceChanged: options.onChange == .fail && (hasChanged || hasLied)
            // Checked when it failed.
            case .deadlinePassed: true
            // A user who allows few retries gets few, and waiting for a former version is in vain.
            case .attemptsExhausted:
                options.retries < 100 || transfer.ledger.deaths >= Transfer.mostDeaths
            default: false
            }
        if !isAllowed {
            trace.complain(
                "I10: transfer \(transfer.id) failed for good: \(failure.code.rawValue), \(failure.message)"
            )
        }
    }

    /// Whether a transfer with the same identity is completed: two processes may ask at the same moment.
    func isDoneAlready(_ transfer: Transfer) -> Bool {
        guard let identity = transfer.work.identity else { return false }
        return rows.contains {
            $0.id != transfer.id && $0.state == .completed && $0.work.identity == identity
        }
    }

    /// The site that a transfer fetches.
    func site(of id: TransferID) -> SimulatedOrigin.Site? {
        state.withLock { $0.sites[id] }.map(origin.site)
    }

    /// Checks that the row claims only bytes that are in the part file, as written in this boot and as
    /// durable (I2), and those of each source of one version (I5).
    ///
    /// - Parameter boot: the current boot; `nil` right after a power loss.
    func checkClaims(_ progress: DownloadProgress, of id: TransferID, boot: BootID?) {
        if let fault = fault(in: progress, of: id, boot: boot) { trace.complain(fault) }
    }

    /// The row's false claim, in words.
    func fault(in progress: DownloadProgress, of id: TransferID, boot: BootID?) -> String? {
        guard let claim = progress.part else {
            return progress.segments.received > 0 ? "I2: transfer \(id) claims bytes of no file" : nil
        }
        guard let node = files.disk.withLock({ $0.nodes[claim.identity.inode] }) else {
            // A power loss may remove the name of a short new file; recovery finds it gone.
            let mayBeLost = boot != claim.boot && !scenario.syncsDirectoryAlways
            // A renamed but not yet settled one may have been replaced, as another transfer's user wanted.
            let mayBeReplaced = progress.phase == .publishing && namesMayClash
            // One that was to be named first at its publication is gone with its process.
            let mayBeNameless = progress.phase == .publishing && scenario.sparesNames
            guard progress.segments.durableBytes > 0, !mayBeLost, !mayBeReplaced, !mayBeNameless else {
                return nil
            }
            return "I2: transfer \(id) claims bytes of a file that is not there"
        }
        guard let site = site(of: id) else { return nil }
        let trustsWritten = boot == claim.boot
        var parts: [SourceID?: [(start: Int, bytes: [UInt8])]] = [:]
        for segment in progress.segments.segments {
            let written = trustsWritten ? segment.written : segment.durable
            let bytes = node.live.read(segment.range.lowerBound..<written)
            if Int64(bytes.count) != written - segment.range.lowerBound {
                return "I2: transfer \(id) claims bytes up to \(written), the file ends before"
            }
            let durable = node.durable.read(segment.range.lowerBound..<segment.durable)
            let durableCount = segment.durable - segment.range.lowerBound
            if Int64(durable.count) != durableCount || !bytes.holds(durable, at: 0) {
                return "I2: transfer \(id) claims bytes up to \(segment.durable) as durable"
            }
            for span in progress.mirroring.spans(of: segment.range.lowerBound..<written) {
                parts[span.source, default: []].append(
                    (Int(span.range.lowerBound), node.live.read(span.range))
                )
            }
        }
        // Until the file is complete, comparisons are open where bytes of two sources meet.
        let isOneVersionEach = parts.values.allSatisfy { parts in
            site.versions.contains { version in
                parts.allSatisfy { version.holds($0.bytes, at: $0.start) }
            }
        }
        guard !isOneVersionEach, !site.hasLied else { return nil }
        let claimed = progress.segments.segments.map {
            "\($0.range) written \($0.written) durable \($0.durable)"
        }
        return "I5: what transfer \(id) claims of a source is of no version, or of several: \(claimed)"
    }
}
