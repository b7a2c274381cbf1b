extension HTTPURL {
    /// The same URL without the parameters that a signature adds to its query, and without those named in `ignored`.
    ///
    /// Only parameters of `signatures` are dropped: any other may identify the file. Nothing is dropped from a query
    /// with a semicolon, as some servers read it as an ampersand and others as part of a value.
    ///
    /// - Parameter ignored: names of parameters, compared without regard to case.
    func withoutSignature(
        _ signatures: [QuerySignature] = QuerySignature.ofStores,
        ignoring ignored: [String] = []
    ) -> HTTPURL {
        guard let query, !query.utf8.contains(0x3B) else { return self }
        let parameters = QueryParameter.all(in: query)
        let names = Set(parameters.map(\.name))
        let signed = QuerySignature.names(signing: parameters, in: signatures)
        let dropped = signed.union(ignored.map { Array($0.utf8).lowercasedASCIIText })
        guard !dropped.isDisjoint(with: names) else { return self }
        let kept = parameters.filter { !dropped.contains($0.name) }.map(\.text)
        return HTTPURL(
            scheme: scheme,
            authority: authority,
            path: path,
            query: kept.isEmpty ? nil : kept.joined(separator: "&"),
            fragment: fragment
        )
    }

    /// Whether this URL was signed before `other`, if both say when they were signed or when they expire.
    func isSignedBefore(_ other: HTTPURL) -> Bool {
        guard let query, let theirs = other.query else { return false }
        let (own, others) = (QueryParameter.all(in: query), QueryParameter.all(in: theirs))
        for name in Self.signatureTimes {
            guard let one = own.first(where: { $0.name == name })?.value,
                let two = others.first(where: { $0.name == name })?.value
            else { continue }
            // Seconds since 1970 or ISO 8601: texts of equal length sort by time.
            return one.count == two.count && one.lexicographicallyPrecedes(two)
        }
        return false
    }

    /// Parameters that say when a URL was signed, or when it expires.
    private static let signatureTimes = ["x-amz-date", "x-goog-date", "x-oss-date", "expires", "se"]
}
