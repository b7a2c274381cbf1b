public import FerryCore

/// Finds transfers by what they fetch or have saved.
extension TransferEngine {
    /// The latest transfer of this URL and destination, in any state; `nil` if there is no such transfer.
    ///
    /// URLs that differ only in their signature are the same; see ``DownloadSpecification/identity``.
    ///
    /// - Parameters:
    ///   - url: the URL given to ``download(from:to:options:queue:priority:after:tag:)``.
    ///   - destination: the destination given there.
    ///   - ignored: the parameters of the URL that ``DownloadOptions/ignoredQuery`` names.
    public func find(
        url: HTTPURL,
        to destination: Destination,
        ignoring ignored: [String] = []
    ) async throws(StoreError) -> Transfer? {
        var options = DownloadOptions()
        options.ignoredQuery = ignored
        let wanted = DownloadSpecification(url: url, destination: destination, options: options)
        return try await seams.store.transfers(like: [wanted]).first?.last
    }

    /// The latest transfer with this tag, in any state; `nil` if no transfer has it.
    ///
    /// ``transfers(_:after:limit:)`` with ``TransferFilter/among(_:queue:tag:)`` lists all of them.
    public func find(tag: TransferTag) async throws(StoreError) -> Transfer? {
        try await seams.store.latest(tagged: tag)
    }

    /// The transfer with this UUID, in any state; `nil` if no transfer has it.
    public func find(uuid: TransferUUID) async throws(StoreError) -> Transfer? {
        try await seams.store.transfer(uuid: uuid)
    }

    /// The latest completed transfer whose file was checked against this digest; `nil` if there is no such transfer.
    public func find(digest: Checksum) async throws(StoreError) -> Transfer? {
        try await seams.store.completed(saving: [.digest(digest)]).first ?? nil
    }

    /// The latest completed transfer that saved its file at each path.
    package func completed(at paths: [String]) async throws(StoreError) -> [Transfer?] {
        var found: [Transfer?] = []
        for page in paths.pages { found += try await seams.store.completed(saving: page.map { .path($0) }) }
        return found
    }

    /// The transfers with the identity of one of these, as far as they still matter, each once.
    package func transfers(
        like specifications: [DownloadSpecification]
    ) async throws(StoreError) -> [Transfer] {
        var found: [TransferID: Transfer] = [:]
        for page in specifications.pages {
            for twin in try await seams.store.transfers(like: Array(page)).joined() { found[twin.id] = twin }
        }
        return found.values.sorted { $0.id < $1.id }
    }
}
