import Ferry

/// Documents, on this machine or fetched before anything is added.
extension DownloadPlan {
    /// Whether the transfers can be added without fetching a document first.
    package var isComplete: Bool { digests.areKnown ? metalinks.isEmpty : isEmpty }

    /// Whether no download and no document is named.
    package var isEmpty: Bool { count == 0 && metalinks.isEmpty }

    /// Whether any bytes go to standard output.
    package var usesStandardOutput: Bool {
        terms.output.map { $0 == "-" || $0 == "/dev/stdout" } == true
            || singles.contains { $0.specification.destination == .standardOutput }
            || list?.usesStandardOutput == true
    }

    /// Fetches the documents at URLs, and applies them.
    ///
    /// - Throws: ``CommandFailure`` when a document cannot be fetched or is invalid; nothing must be added then.
    package mutating func complete(_ fetch: DocumentFetch) async throws {
        for url in metalinks {
            let bytes = try await fetch.document(
                url,
                limit: DocumentFetch.longestMetalink,
                options: terms.options(terms.options, for: url)
            )
            try add(metalink: bytes, from: .url(url))
        }
        metalinks = []
        let wereKnown = digests.areKnown
        if case .awaited(let url) = digests {
            let bytes = try await fetch.document(
                url,
                limit: DocumentFetch.longestList,
                options: terms.options(for: url, keepingSecretsWith: try origins())
            )
            digests = .list(try ChecksumList(parsing: bytes, named: url.redacted))
        }
        try takeDigests()
        try checkTogether()
        if case .sidecars = digests {
            try await takeSidecars(fetch)
            digests = .none
        }
        try finish()
        guard !wereKnown, list != nil else { return }
        // Nothing is added unless each download of the list has what it needs.
        var downloads = try downloads()
        while try downloads.next() != nil {}
    }

    /// The servers of the downloads.
    private func origins() throws(CommandFailure) -> Set<Origin> {
        var origins: Set<Origin> = []
        var downloads = try downloads()
        while let download = try downloads.next() { origins.insert(download.specification.url.origin) }
        return origins
    }
}
