/// The options of a transfer that several callers ask for.
package struct SharedTerms: Hashable, Sendable {
    /// The resulting options.
    package var options: DownloadOptions
    /// Whether received bytes were fetched under terms that are no longer accepted.
    package var dropsBytes: Bool

    /// Why a caller does not share a transfer, as the end of a sentence that begins with what the transfer does.
    package struct Refusal: Error, Hashable, Sendable {
        package let reason: String
    }

    /// Combines a transfer's options with those of a new request, by ``SharedOption/verdict(_:_:_:)``.
    package init(
        _ asked: DownloadOptions,
        meeting download: DownloadWork,
        as reliance: SharedOption.Reliance
    ) throws(Refusal) {
        let had = download.specification.options
        var options = had
        var isInDoubt = false
        for option in SharedOption.all {
            let difference = option.difference(asked, from: had)
            switch SharedOption.verdict(option.kind, difference, reliance) {
            // A mirror under a fresh signature is the same mirror; use the fresh one.
            case .keep where option.kind == .demand && difference == .same: option.set(&options, to: asked)
            case .keep: break
            case .refuse: throw Refusal(reason: option.refusal(had))
            // An entry of a pool is for all who ask for it. What a download that has failed had to be counted for its
            // own caller.
            case .join where reliance == .dropped && asked.cache != nil && had.cache != nil:
                option.set(&options, to: asked)
                isInDoubt = isInDoubt || download.isMixed(without: asked)
            case .join: options.requireContent(of: asked)
            case .take:
                option.set(&options, to: asked)
                guard difference == .stricter || difference == .other else { continue }
                isInDoubt = isInDoubt || option.castsDoubt(on: download.progress, asked: asked)
            }
        }
        self.options = options
        dropsBytes = isInDoubt && options.checksum == nil && options.pieces == nil
    }
}

extension Transfer {
    /// The permissions of the new request that have no effect on this transfer, because an earlier caller did not give
    /// them.
    package func unheeded(of asked: DownloadOptions) -> [SharedOption.Permission] {
        guard !state.isFinal, let had = download?.specification.options else { return [] }
        return SharedOption.all.compactMap { option in
            option.difference(asked, from: had) == .looser ? option.permission : nil
        }
    }
}

extension DownloadWork {
    /// Whether this completed download is accepted under the options of the new request, as far as that is known
    /// without reading its file.
    package func serves(_ asked: DownloadOptions) -> Bool {
        let had = specification.options
        let asked = asked.asKept
        let isDoubted = SharedOption.all.contains { option in
            let difference = option.difference(asked, from: had)
            return option.kind != .content
                && SharedOption.verdict(option.kind, difference, .completed) == .refuse
                && option.castsDoubt(on: progress, asked: asked)
        }
        // A digest that is given now is compared with the file.
        let isProved = [asked, had].contains { $0.checksum != nil || $0.pieces != nil }
        return !isDoubted || isProved
    }

    /// Whether this completed download has shown that its file is as the new request asks, so that the file need not be read. A
    /// sealed one cannot be read without its key.
    package func hasProved(_ asked: DownloadOptions) -> Bool {
        let had = specification.options
        guard asked.length == nil || asked.length == progress.segments.length else { return false }
        // The digest of the whole decides alone, and pieces only where there is none.
        if asked.checksum != nil { return asked.checksum == had.checksum }
        return asked.pieces == nil || (asked.pieces == had.pieces && had.checksum == nil)
    }

    /// Whether its bytes are of several sources side by side, and none of the digests that let them be (I5) counts for a
    /// download with these options.
    func isMixed(without asked: DownloadOptions) -> Bool {
        guard asked.checksum == nil, asked.pieces == nil else { return false }
        let (had, mirroring) = (specification.options, progress.mirroring)
        let wasVerifiedLater = had.checksum != nil || had.pieces != nil || asked.ignoresServerDigests
        return wasVerifiedLater && mirroring.provenance.spans.contains { $0.source != mirroring.lead }
    }

    /// Takes over what is known of the file that a completed download saved, if the server is to be asked for another
    /// version of it. For an entry of a pool, the file that the pool has counts, if it was looked at.
    package mutating func update(_ completed: DownloadWork) {
        let (asked, had) = (specification.options, completed.specification.options)
        if asked.cache != nil, progress.saved != nil { return }
        let isAccepted =
            completed.serves(asked) && asked.checksum == had.checksum && asked.length == had.length
            && asked.pieces == had.pieces
        guard asked.updates, let saved = SavedVersion(completed.progress, isAccepted: isAccepted) else {
            return
        }
        progress.saved = saved
        progress.name = completed.progress.name
    }
}

extension DownloadOptions {
    /// Adds what `other` requires of the file.
    fileprivate mutating func requireContent(of other: DownloadOptions) {
        checksum = other.checksum ?? checksum
        length = other.length ?? length
        pieces = other.pieces ?? pieces
    }
}
