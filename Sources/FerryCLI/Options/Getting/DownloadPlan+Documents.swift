import Ferry

/// What comes from documents: on this machine, or fetched before anything is added.
extension DownloadPlan {
    /// Whether nothing has to be fetched before the transfers can be added.
    var isComplete: Bool {
        switch digests {
        case .none, .list: metalinks.isEmpty
        case .awaited, .sidecars: isEmpty
        }
    }

    /// Whether there is nothing to download, and nothing that could name something.
    var isEmpty: Bool { transfers.isEmpty && metalinks.isEmpty }

    /// Whether bytes go to standard output.
    var usesStandardOutput: Bool {
        terms.output.map { $0 == "-" || $0 == "/dev/stdout" } == true
            || transfers.contains { $0.specification.destination == .standardOutput }
    }

    /// Fetches the documents that are elsewhere, and takes up what they say.
    ///
    /// - Throws: ``CommandFailure`` when one cannot be fetched, or makes no sense; nothing must be added then.
    mutating func complete(_ fetch: DocumentFetch) async throws {
        for url in metalinks {
            let bytes = try await fetch.document(
                url,
                limit: DocumentFetch.longestMetalink,
                options: terms.options(terms.options, for: url)
            )
            try add(metalink: bytes, from: .url(url))
        }
        metalinks = []
        if case .awaited(let url) = digests {
            let origins = Set(transfers.map(\.specification.url.origin))
            let bytes = try await fetch.document(
                url,
                limit: DocumentFetch.longestList,
                options: terms.options(for: url, keepingSecretsWith: origins)
            )
            digests = .list(try ChecksumList(parsing: bytes, named: url.redacted))
        }
        try takeDigests()
        try checkTogether()
        if case .sidecars = digests { try await takeSidecars(fetch) }
        try checkDigests()
    }
}
