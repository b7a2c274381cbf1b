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
}
