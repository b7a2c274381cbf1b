/// The options of a transfer for all who ask for it.
package struct SharedTerms: Hashable, Sendable {
    /// The options that count from now on.
    package var options: DownloadOptions
    /// Whether bytes that are there already were fetched under terms that are not accepted any more.
    package var dropsBytes: Bool

    /// Why somebody does not share a transfer, as the end of a sentence that begins with what it does.
    package struct Refusal: Error, Hashable, Sendable {
        package let reason: String
    }

    /// Brings together what a transfer has and what is asked for now, as ``SharedOption/verdict(_:_:_:)`` says.
    package init(
        _ asked: DownloadOptions,
        meeting download: DownloadWork,
        as standing: SharedOption.Standing
    ) throws(Refusal) {
        let had = download.specification.options
        var options = had
        var isInDoubt = false
        for option in SharedOption.all {
            let difference = option.difference(asked, from: had)
            switch SharedOption.verdict(option.kind, difference, standing) {
            // A mirror is the same one under a fresh signature, which is the one to use.
            case .keep where option.kind == .demand && difference == .same: option.set(&options, to: asked)
            case .keep: break
            case .refuse: throw Refusal(reason: option.refusal(had))
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
    /// The options of the command line that have no effect on this transfer although they are asked for now: it was asked for
    /// before without them, and whoever did so accepts no more than that.
    package func unheeded(of asked: DownloadOptions) -> [String] {
        guard !state.isFinal, let had = download?.specification.options else { return [] }
        return SharedOption.all.compactMap { option in
            option.difference(asked, from: had) == .looser ? option.permission : nil
        }
    }

}

extension DownloadWork {
    /// Whether what this completed download fetched is accepted under the options that are asked for now, as far as that can be
    /// told without its file.
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
}

extension DownloadOptions {
    /// Requires of the file what `other` requires as well.
    fileprivate mutating func requireContent(of other: DownloadOptions) {
        checksum = other.checksum ?? checksum
        length = other.length ?? length
        pieces = other.pieces ?? pieces
    }
}
