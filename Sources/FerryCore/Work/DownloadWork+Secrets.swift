extension DownloadWork {
    /// Drops the secrets of its URLs, header fields, credentials and proxies. Keeps what is displayed, and the digest
    /// that the finished file must have.
    package mutating func dropSecrets() {
        progress.dropSecrets(of: specification)
        specification.dropSecrets()
    }
}

extension DownloadSpecification {
    /// Drops its secrets. It may have another ``identity`` then.
    fileprivate mutating func dropSecrets() {
        url = url.withoutSecrets
        // To copy and compare the options takes longer than the URL.
        guard options.mayHaveSecrets else { return }
        let kept = options.asKept
        if kept != options { self = DownloadSpecification(url: url, destination: destination, options: kept) }
    }
}

extension DownloadOptions {
    /// Whether ``asKept`` may lack anything: whether any of what it changes is set.
    fileprivate var mayHaveSecrets: Bool {
        !headers.isEmpty || exchange.hasLoadedCookies || credentials != nil || !mirrors.isEmpty
            || connection.clientCertificate != nil || connection.proxy != nil || proxies != nil
    }

    /// The options of a transfer that never runs again, without secrets.
    var asKept: DownloadOptions {
        var kept = withoutSecrets
        kept.mirrors = mirrors.map(\.withoutSecrets)
        kept.connection.proxy = connection.proxy?.withoutCredentials
        kept.proxies = proxies?.withoutCredentials
        return kept
    }
}

extension DownloadProgress {
    /// Drops the secrets of the URLs that gave the bytes of `specification`.
    fileprivate mutating func dropSecrets(of specification: DownloadSpecification) {
        if source != nil, kept == nil || !hasPublicSource { source = nil }
        if mirroring != Mirroring() { mirroring = mirroring.withoutSecrets(of: specification) }
    }

    /// Whether nothing in the URL that gave the bytes would be masked. A download that takes over a kept
    /// part file compares it.
    private var hasPublicSource: Bool {
        guard let source else { return true }
        do throws(HTTPURL.ParseError) {
            let url = try HTTPURL(parsing: source)
            return url.withoutSecrets == url
        } catch {
            return false
        }
    }
}

extension Mirroring {
    /// The facts about the sources that are displayed or that verify the file, without the secrets of their URLs.
    fileprivate func withoutSecrets(of specification: DownloadSpecification) -> Mirroring {
        let sources = SourceList(specification, self)
        func bare(_ id: SourceID) -> SourceID {
            guard case .mirror(let name) = id else { return id }
            if let url = sources[id] { return .mirror(url.withoutSecrets) }
            // The URL was removed by an edit, or is the download's former URL.
            do throws(HTTPURL.ParseError) {
                return .mirror(try HTTPURL(parsing: name).withoutSecrets)
            } catch {
                return .former(0)
            }
        }
        var mirroring = self
        mirroring.lead = bare(lead)
        mirroring.versions = [:]
        mirroring.sharing = Set(sharing.map(bare))
        // Where the bytes of another tool were compared is displayed.
        mirroring.keepComparisons { junction in
            guard [junction.before, junction.after].contains(.otherTool) else { return nil }
            return Junction(
                offset: junction.offset,
                before: bare(junction.before),
                after: bare(junction.after)
            )
        }
        mirroring.discovery?.mirrors = discovered.map(\.withoutSecrets)
        mirroring.excluded = Dictionary(excluded.sorted { $0.key < $1.key }.map { (bare($0.key), $0.value) })
        { first, _ in
            first
        }
        for span in provenance.spans {
            if let source = span.source { mirroring.provenance.note(span.range, from: bare(source)) }
        }
        return mirroring
    }
}
