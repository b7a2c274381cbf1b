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

extension HTTPURL {
    /// When its signature expires, as its own query says; `nil` for a URL without a signature or without a moment that
    /// can be read. If it names several moments, the earliest counts.
    ///
    /// A store may refuse it earlier, for example because the credentials that signed it have expired.
    package var expiry: Instant? {
        guard isSigned, let query else { return nil }
        let parameters = QueryParameter.all(in: query)
        func value(_ name: String) -> String? {
            let values = parameters.filter { $0.name == name }.map(\.value)
            // Servers differ in which of several counts.
            guard values.count == 1, let value = values[0] else { return nil }
            return value.text
        }
        var moments = ["x-amz-", "x-oss-", "x-goog-"].compactMap { prefix -> Instant? in
            guard let begin = value(prefix + "date").flatMap(Instant.init(compact:)),
                let seconds = value(prefix + "expires").flatMap(Self.seconds)
            else { return nil }
            return begin.advanced(by: .seconds(seconds))
        }
        // Amazon and Alibaba before version 4, CloudFront, and services that copied them: seconds since 1970.
        if let seconds = value("expires").flatMap(Self.seconds) { moments.append(Instant(seconds: seconds)) }
        // Azure: with or without a time of day.
        if let moment = value("se").flatMap(Instant.init(signedExpiry:)) { moments.append(moment) }
        return moments.min()
    }

    /// A number of seconds; `nil` for anything else, such as milliseconds since 1970.
    private static func seconds(_ text: String) -> Int64? {
        guard (1...11).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int64(text)
    }
}

extension Instant {
    /// Reads a moment such as `20130524T000000Z`.
    fileprivate init?(compact text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16 else { return nil }
        let parts = [(0, 4), (4, 6), (6, 8), (9, 11), (11, 13), (13, 15)].map { bytes[$0.0..<$0.1].text }
        let (date, time) = (parts[..<3].joined(separator: "-"), parts[3...].joined(separator: ":"))
        guard bytes[8] == 0x54, bytes[15] == 0x5A else { return nil }
        self.init(timestamp: "\(date)T\(time)Z")
    }

    /// Reads the expiry of a signature of Azure: a date, or a moment with or without seconds.
    fileprivate init?(signedExpiry text: String) {
        switch text.utf8.count {
        case 10: self.init(timestamp: text + "T00:00:00Z")
        case 17 where text.utf8.last == 0x5A: self.init(timestamp: text.dropLast() + ":00Z")
        default: self.init(timestamp: text)
        }
    }
}
