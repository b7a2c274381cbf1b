import Ferry

/// Documents, on this machine or fetched before anything is added.
extension DownloadPlan {
    /// Whether the transfers can be added without fetching a document first.
    var isComplete: Bool {
        switch digests {
        case .none, .list: metalinks.isEmpty
        case .awaited, .sidecars: isEmpty
        }
    }

    /// Whether no download and no document is named.
    var isEmpty: Bool { transfers.isEmpty && metalinks.isEmpty }

    /// Whether any bytes go to standard output.
    var usesStandardOutput: Bool {
        terms.output.map { $0 == "-" || $0 == "/dev/stdout" } == true
            || transfers.contains { $0.specification.destination == .standardOutput }
    }

    /// Fetches the documents at URLs, and applies them.
    ///
    /// - Throws: ``CommandFailure`` when a document cannot be fetched or is invalid; nothing must be added then.
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
