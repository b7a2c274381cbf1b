/// A download as another command line may spell it: `get URL` and `get -o NAME URL` may lead to the same path.
///
/// The two have different identities, because only the server may know the name that the first one gets. So an earlier
/// transfer counts as the same only if its name is known.
package struct OtherSpelling: Hashable, Sendable {
    /// The download in the other spelling: without the name that was given, or with the name of its URL.
    package let specification: DownloadSpecification
    /// The name that the file gets; a server may still give another one to a download without a name.
    package let name: FileName
    private let options: DownloadOptions

    /// The other spelling of a download; `nil` if there is none, as for a stream.
    package init?(_ asked: DownloadSpecification) {
        guard case .file(let directory, let given) = asked.destination, asked.options.cache == nil else {
            return nil
        }
        let own = FileName.fromURL(asked.url)
        name = given ?? (asked.options.isSealed ? own.sealed : own)
        options = asked.options
        var other = asked
        other.destination = .file(directory: directory, name: given == nil ? name : nil)
        specification = other
    }

    /// The earlier transfer that the download repeats; `nil` if it is another download.
    ///
    /// - Parameters:
    ///   - others: the transfers with the identity of ``specification``.
    ///   - own: the transfers with the identity of the download as it is spelled now. They take precedence, unless the other
    ///     one has more to resume.
    package func repeated(of others: [Transfer], besides own: [Transfer]) -> Transfer? {
        let best = others.filter(isRepeated).max { Self.rank($0) < Self.rank($1) }
        guard let best, own.allSatisfy({ Self.rank($0) < Self.rank(best) }) else { return nil }
        return best
    }

    /// Whether a transfer in the other spelling leads to the same path, and the server gets the same request: header
    /// fields and credentials may decide which bytes it sends.
    private func isRepeated(_ transfer: Transfer) -> Bool {
        guard let download = transfer.download, download.place?.name == name else { return false }
        switch transfer.state {
        case .queued, .active, .waiting, .paused, .failed:
            return SharedOption.all.allSatisfy { option in
                option.kind != .identity
                    || option.difference(options, from: download.specification.options) == .same
            }
        // Its secrets were dropped. Whether its file is still in its place is looked at.
        case .completed: return true
        case .cancelled: return false
        }
    }

    /// How much of a transfer is worth resuming.
    private static func rank(_ transfer: Transfer) -> Int {
        switch transfer.state {
        case .queued, .active, .waiting, .paused: 3
        case .completed: 2
        case .failed: transfer.work.hasNothingToLose ? 1 : 2
        case .cancelled: 0
        }
    }
}

extension Work {
    /// A download as another command line may spell it; `nil` for anything else.
    package var otherSpelling: OtherSpelling? { download.flatMap { OtherSpelling($0.specification) } }

    /// Gives a download the destination of its other spelling, and the name that its file has there.
    package mutating func spell(as other: OtherSpelling) {
        guard case .download(var work) = self else { return }
        work.specification.destination = other.specification.destination
        work.progress.name = other.name
        self = .download(work)
    }
}
