/// A wrong digest: what is fetched again, and from which source.
///
/// If the pieces have digests, only the wrong pieces are fetched again. Otherwise the bytes of several sources may
/// not belong together, and one source alone gives what the others gave. If one source gave all bytes, another source
/// is asked for all of them. Each of these steps rules a source out, so repairing comes to an end.
extension DownloadMachine {
    /// How often pieces are fetched again from the only source.
    static let mostRepairs = 2

    /// What was found wrong in the file during a sync. If that sync fails, it may have dropped bytes before they were
    /// read.
    enum Doubt: Hashable, Sendable {
        /// The wrong digest of the whole.
        case digest(Checksum)
        /// The pieces with wrong digests.
        case pieces(wrong: [Int])
    }

    mutating func digestPieces(_ length: Int64) -> [Action] {
        guard let pieces = options.pieces else { return verified() }
        guard pieces.fit(size: length) else {
            return failed(
                verification: mismatch(
                    "The file has \(length) bytes, which does not match \(pieces.checksums.count) pieces of \(pieces.length)."
                )
            )
        }
        stage = .digesting
        return [.digestPieces(pieces, length: length)]
    }

    mutating func piecesDigested(_ wrong: [Int]) -> [Action] {
        guard stage == .digesting, let pieces = options.pieces, let length = checkpoint.segments.length else {
            return []
        }
        if let ending { return stop(ending) }
        guard wrong.isEmpty || !isSynchronizing else {
            doubt = .pieces(wrong: wrong)
            return []
        }
        let found = wrongDigest.take()
        guard !wrong.isEmpty else {
            guard let found, let expected else { return verified() }
            // Each piece is right and the whole is not: one of the given digests is wrong.
            return failed(verification: mismatch(expected: expected, found: found))
        }
        // The server has the file in another form, whose ranges differ.
        guard !checkpoint.isDecoded else {
            let text = "\(wrong.count) of \(pieces.checksums.count) pieces have the wrong digest."
            return failed(verification: mismatch(text))
        }
        let ranges = wrong.map { pieces.range(of: $0, inFileOf: length) }
        let culprits = ranges.map { checkpoint.mirroring.provenance.sources(of: $0) }.filter { $0.count == 1 }
            .compactMap { $0.first ?? nil }
        guard checkpoint.mirroring.repairs < Self.mostRepairs + sourceList.ids.count else {
            return failed(
                verification: mismatch(
                    "\(wrong.count) of \(pieces.checksums.count) pieces have the wrong digest."
                )
            )
        }
        checkpoint.mirroring.repairs += 1
        checkpoint.mirroring.wrongDigest = found
        let amount = wrong.count == 1 ? "1 piece has" : "\(wrong.count) pieces have"
        var actions = [
            note("\(amount) the wrong digest and \(wrong.count == 1 ? "is" : "are") fetched again.")
        ]
        if hasMirrors {
            for culprit in Set(culprits).sorted() where hasOther(than: culprit) {
                actions += exclude(culprit, .wrongBytes)
            }
            // Several sources may have given the wrong bytes: only the lead gives them now.
            if culprits.isEmpty { checkpoint.mirroring.isAlone = true }
        }
        return actions + fetchAgain(ranges)
    }

    /// Judges a digest that could not be judged during a sync.
    mutating func judgeAgain() -> [Action] {
        switch doubt.take() {
        case .digest(let found): digested(found)
        case .pieces(let wrong): piecesDigested(wrong)
        case nil: []
        }
    }

    /// Repairs after a wrong digest of the whole. Returns `nil` when no source is left that might have other bytes.
    mutating func repair(after found: Checksum) -> [Action]? {
        guard !isStream, let length = checkpoint.segments.length else { return nil }
        if options.pieces != nil {
            wrongDigest = found
            return digestPieces(length)
        }
        guard hasMirrors else { return nil }
        let givers = checkpoint.mirroring.provenance.sources(of: 0..<length)
        let known = givers.compactMap { $0 }.sorted()
        let lead = checkpoint.mirroring.lead
        guard known.count == givers.count, known.count < 2 else {
            checkpoint.mirroring.isAlone = true
            let others = checkpoint.mirroring.provenance.spans.filter { $0.source != lead }.map(\.range)
            let names = known.map { host(of: $0) }.joined(separator: " and ")
            let text =
                "What came from \(names) does not have the digest; \(host(of: lead)) is used alone now."
            return [note(text)] + fetchAgain(others)
        }
        let giver = known.first ?? lead
        guard hasOther(than: giver) else { return nil }
        checkpoint.mirroring.wrongDigest = found
        return startOverElsewhere(than: giver)
    }

    /// No source can be asked any more in this attempt. If the others have nothing, the attempt fails with the wrong
    /// digest of the one that had bytes.
    mutating func nobodyIsLeft() -> [Action] {
        let problem = sources.mildest ?? lostConnection
        let liars = checkpoint.mirroring.excluded.filter { $0.value == .wrongBytes }.keys.sorted()
        guard problem.disposition == .permanent, let liar = liars.first else { return fail(problem) }
        guard let found = checkpoint.mirroring.wrongDigest, let expected else {
            let text = "What \(host(of: liar)) sends does not have the expected digests."
            return failed(verification: mismatch(text))
        }
        return failed(verification: mismatch(expected: expected, found: found))
    }

    /// One source gave every byte, and they are wrong: asks another source for all of them.
    private mutating func startOverElsewhere(than giver: SourceID) -> [Action] {
        let news = exclude(giver, .wrongBytes)
        forgetBytes()
        checkpoint.mirroring.isAlone = true
        elect()
        return news + rewindForAnother()
    }

    /// Replaces the file for another source's bytes. No connection writes to it.
    mutating func rewindForAnother() -> [Action] {
        stage = .preparing(.rewinding(nil))
        return [record(.power), replacePart()]
    }

    /// Drops some ranges and fetches them again.
    private mutating func fetchAgain(_ ranges: [Range<Int64>]) -> [Action] {
        isSynchronizationStale = isSynchronizing
        for range in ranges {
            checkpoint.segments.drop(range)
            checkpoint.mirroring.provenance.forget(range)
        }
        elect()
        let recorded = record(.process)
        stage = .transferring
        return [recorded] + connect()
    }

    /// Makes another source the lead if the present one is no longer used.
    private mutating func elect() {
        let former = checkpoint.mirroring.lead
        let isOut = checkpoint.mirroring.excluded[former] != nil || !sourceList.contains(former)
        guard isOut, let next = firstOther(than: former) else { return }
        checkpoint.mirroring.versions[former] = checkpoint.version
        checkpoint.version = checkpoint.mirroring.versions.removeValue(forKey: next) ?? Mirroring.Version()
        checkpoint.mirroring.lead = next
        traits = sources.servers[server(of: next)] ?? ServerTraits()
    }

    private func hasOther(than source: SourceID) -> Bool { firstOther(than: source) != nil }

    private func firstOther(than source: SourceID) -> SourceID? {
        sourceList.ids.first { $0 != source && checkpoint.mirroring.excluded[$0] == nil }
    }
}
