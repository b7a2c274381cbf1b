/// The repair of a file with a wrong digest.
extension Download {
    /// Decides what is done about a wrong digest of the whole, and notes it in the progress.
    mutating func repair(wrongWhole found: Checksum, expected: Checksum) -> Repair {
        let failure = Repair.fail(mismatch(expected: expected, found: found))
        guard !isStream, let length = progress.segments.length else { return failure }
        if options.pieces != nil { return .findPieces(length, wrongWhole: found) }
        let givers = progress.mirroring.sources(of: 0..<length)
        let areBesideOtherTool = givers.contains(.otherTool) && givers.count > 1
        // Where no other source gave bytes beside those of the other tool, or a digest was to tell which of its bytes are right,
        // it is not known which are wrong.
        if progress.part?.adoption?.hasBytes == true, options.onChange == .restart, !areBesideOtherTool {
            let text = "\(foreignName) does not have the required digest. It is deleted and fetched anew."
            return .replace(note: TransferNote(.startedOver, text), without: [])
        }
        guard hasMirrors || areBesideOtherTool else { return failure }
        let known = givers.compactMap { $0 }.sorted()
        guard known.count == givers.count, known.count < 2 else {
            let names = known.map { host(of: $0) }.joined(separator: " and ")
            let flaw = "The bytes from \(names) do not have the required digest"
            if options.isSealed {
                guard mayRepair else { return failure }
                progress.mirroring.repairs += 1
                progress.mirroring.isAlone = true
                return .replace(note: sealingAgain(flaw), without: [])
            }
            progress.mirroring.isAlone = true
            let others = progress.mirroring.provenance.spans.filter { $0.source != lead }.map(\.range)
            let note = TransferNote(.bytesRefetched, "\(flaw); only \(host(of: lead)) is used now.")
            return .fetchAgain(others, note: note, without: [])
        }
        let giver = known.first ?? lead
        guard firstOther(than: giver) != nil else { return failure }
        progress.mirroring.wrongDigest = found
        return .startOver(without: giver)
    }

    /// Decides what is done about pieces with wrong digests, and notes it in the progress. `wrongWhole` is the wrong
    /// digest of the whole, if that was computed before.
    mutating func repair(wrongPieces wrong: [Int], of pieces: PieceDigests, wrongWhole: Checksum?) -> Repair {
        let problem = mismatch("\(wrong.count) of \(pieces.checksums.count) pieces have the wrong digest.")
        // The server has a decoded file in another form, whose ranges differ.
        guard !progress.isDecoded, let length = progress.segments.length, mayRepair else {
            return .fail(problem)
        }
        let ranges = wrong.map { pieces.range(of: $0, inFileOf: length) }
        let culprits = ranges.compactMap { progress.mirroring.culprit(of: $0) }
        progress.mirroring.repairs += 1
        progress.mirroring.wrongDigest = wrongWhole
        // Several sources may have given the wrong bytes: only the lead gives them now.
        if hasMirrors, culprits.isEmpty { progress.mirroring.isAlone = true }
        let excluded = hasMirrors ? Set(culprits).sorted() : []
        let flaw = "\(wrong.count == 1 ? "1 piece has" : "\(wrong.count) pieces have") the wrong digest"
        if options.isSealed { return .replace(note: sealingAgain(flaw), without: excluded) }
        let text = "\(flaw) and \(wrong.count == 1 ? "is" : "are") fetched again."
        return .fetchAgain(ranges, note: TransferNote(.bytesRefetched, text), without: excluded)
    }

    /// Decides what is done about sealed bytes on the disk that do not open, and notes it in the progress. No source is to blame.
    mutating func repairDamage() -> Repair {
        var problem = Problem.sealedBytesDamaged
        guard mayRepair else {
            // The bytes would be fetched without end for a disk that damages them.
            problem.disposition = .permanent
            return .fail(problem)
        }
        progress.mirroring.repairs += 1
        return .replace(note: sealingAgain("Bytes of the part file were damaged on the disk"), without: [])
    }

    /// Whether wrong bytes are fetched again. A sealed file is fetched as a whole each time.
    private var mayRepair: Bool {
        let more = options.isSealed ? 0 : Repair.mostPieces
        return progress.mirroring.repairs < more + sourceList.ids.count
    }

    private func sealingAgain(_ flaw: String) -> TransferNote {
        TransferNote(.startedOver, "\(flaw). The sealed file starts over with another key.")
    }

    /// The problem with which an attempt ends when no source can be asked any more. If the other sources have nothing,
    /// it is the wrong digest of the source that gave bytes.
    func problem(whenNoSourceIsLeft mildest: Problem?) -> (problem: Problem, isVerification: Bool) {
        let problem = mildest ?? lostConnection
        let liars = progress.mirroring.excluded.filter { $0.value == .wrongBytes }.keys.sorted()
        guard problem.disposition == .permanent, let liar = liars.first else { return (problem, false) }
        guard let found = progress.mirroring.wrongDigest, let expected else {
            let text = "The bytes from \(host(of: liar)) do not have the expected digests."
            return (mismatch(text), true)
        }
        return (mismatch(expected: expected, found: found), true)
    }

    /// Excludes the sources that gave wrong bytes, but never the last remaining source.
    mutating func excludeWrong(_ sources: [SourceID]) -> [DownloadAction] {
        var notes: [DownloadAction] = []
        for source in sources where firstOther(than: source) != nil { notes += exclude(source, .wrongBytes) }
        return notes
    }

    /// Makes another source the lead if the present one is no longer used.
    ///
    /// - Returns: whether there is another lead now.
    mutating func elect() -> Bool {
        let former = lead
        let isOut = progress.mirroring.excluded[former] != nil || !isListed(former)
        guard isOut, let next = firstOther(than: former) else { return false }
        progress.mirroring.versions[former] = progress.version
        progress.version = progress.mirroring.versions.removeValue(forKey: next) ?? Mirroring.Version()
        progress.mirroring.lead = next
        return true
    }

    /// Withdraws the claims on ranges, and forgets which sources gave them.
    mutating func drop(_ ranges: [Range<Int64>]) {
        for range in ranges {
            progress.segments.drop(range)
            progress.mirroring.forget(range)
        }
    }
}
