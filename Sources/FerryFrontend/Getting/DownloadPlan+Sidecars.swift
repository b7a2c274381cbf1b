import Ferry

/// Digests that a server keeps in a file beside each download.
extension DownloadPlan {
    /// The suffixes to append to the URL, in the order of trying.
    static let sidecarSuffixes = [".sha256", ".sha512", ".sha1", ".md5"]
    /// Number of digest files fetched at once.
    private static let sidecarsAtOnce = 8

    /// Fetches the digest of each transfer that has none yet.
    ///
    /// - Throws: ``CommandFailure`` when a transfer has no digest file.
    mutating func takeSidecars(_ fetch: DocumentFetch) async throws {
        let wanted = singles.indices.filter { singles[$0].specification.options.checksum == nil }
        for start in stride(from: 0, to: wanted.count, by: Self.sidecarsAtOnce) {
            let batch = wanted[start..<min(start + Self.sidecarsAtOnce, wanted.count)]
            let found = try await Self.sidecars(of: batch.map { ($0, singles[$0].specification) }, fetch)
            for (index, checksum) in found { singles[index].specification.options.checksum = checksum }
        }
        guard list != nil else { return }
        var downloads = try downloads()
        var batch: [(Int, DownloadSpecification)] = []
        var isLast = false
        while !isLast {
            let next = try downloads.next()
            isLast = next == nil
            if let next, let line = next.line, next.specification.options.checksum == nil {
                batch.append((line, next.specification))
            }
            guard isLast || batch.count == Self.sidecarsAtOnce else { continue }
            for (line, checksum) in try await Self.sidecars(of: batch, fetch) {
                list?.sidecars[line] = checksum
            }
            batch = []
        }
    }

    /// Fetches the digests of some downloads, each with its number.
    private static func sidecars(
        of batch: [(Int, DownloadSpecification)],
        _ fetch: DocumentFetch
    ) async throws -> [(Int, Checksum)] {
        try await withThrowingTaskGroup(of: (Int, Checksum).self) { group in
            for (number, specification) in batch {
                group.addTask { (number, try await sidecar(of: specification, fetch)) }
            }
            var found: [(Int, Checksum)] = []
            for try await one in group { found.append(one) }
            return found
        }
    }

    private static func sidecar(
        of specification: DownloadSpecification,
        _ fetch: DocumentFetch
    ) async throws(CommandFailure) -> Checksum {
        for suffix in sidecarSuffixes {
            let url = try specification.url.withSuffix(suffix)
            let bytes: [UInt8]
            do {
                // The origin is the same, so the digest file may get what the download may get.
                bytes = try await fetch.document(
                    url,
                    limit: DocumentFetch.longestList,
                    options: specification.options
                )
            } catch {
                guard error.status == .notFound else { throw error }
                continue
            }
            let list = try ChecksumList(parsing: bytes, named: url.redacted)
            return try list.checksum(of: specification)
        }
        let names = sidecarSuffixes.joined(separator: ", ")
        throw CommandFailure(
            .notFound,
            code: TransferFailure.Code.notFound.rawValue,
            "No digest file found for \(specification.url.redacted) (\(names)). Nothing was downloaded or added.",
            hint: "Give the digest with --checksum, or omit --checksum-sidecar to download without one."
        )
    }
}

extension HTTPURL {
    /// The URL with a suffix appended to its path. The query stays, because it may hold the access token.
    fileprivate func withSuffix(_ suffix: String) throws(CommandFailure) -> HTTPURL {
        guard lastPathSegment != nil else {
            throw .usage(
                "\(redacted) names no file, so it has no digest file.",
                hint: "Give the digest with --checksum."
            )
        }
        let tail = query.map { "?\($0)" } ?? ""
        let text = withoutFragment.absoluteString
        do {
            return try HTTPURL(parsing: String(text.dropLast(tail.count)) + suffix + tail)
        } catch {
            throw .usage(error.description)
        }
    }
}
