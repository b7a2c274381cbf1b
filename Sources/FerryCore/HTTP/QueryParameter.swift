/// A parameter of a query.
struct QueryParameter {
    /// The name, percent-decoded and in lower case.
    let name: String
    /// The value, percent-decoded; `nil` without a `=`.
    let value: [UInt8]?
    /// The parameter as it is in the query.
    let text: String

    /// An ampersand alone, as in the standard (WHATWG URL §5.1).
    static let separators: Set<UInt8> = [0x26]
    /// An ampersand or a semicolon: some servers accept both, and a secret must not hide behind one.
    static let anySeparators: Set<UInt8> = [0x26, 0x3B]

    /// The parameters of a query, in order; empty ones are left out.
    static func all(in query: String, separatedBy separators: Set<UInt8> = separators) -> [QueryParameter] {
        query.utf8.split(whereSeparator: separators.contains).map { QueryParameter(Array($0)) }
    }

    private init(_ parameter: [UInt8]) {
        let name = parameter.prefix { $0 != 0x3D }
        self.name = PercentEncoding.decoded(name).lowercasedASCIIText
        value = name.count < parameter.count ? PercentEncoding.decoded(parameter[(name.count + 1)...]) : nil
        text = parameter.text
    }
}
