/// How long an entry of a pool is served without asking the server.
public enum CacheExpiry: Hashable, Sendable {
    /// As long as its pool says (``CacheSettings/freshFor``).
    case inherited
    /// For this time after it was downloaded or last confirmed. At least one millisecond counts.
    case after(Duration)
    /// Always.
    case never
}

extension CacheExpiry {
    /// The expiry as one number: 0 inherits, a positive one is milliseconds, a negative one never expires.
    package var number: Int64 {
        switch self {
        case .inherited: 0
        case .after(let time): max(1, time.wholeMilliseconds)
        case .never: -1
        }
    }

    /// Reads such a number.
    package init(number: Int64) {
        self = number == 0 ? .inherited : number < 0 ? .never : .after(.milliseconds(number))
    }
}

extension CacheExpiry: Codable {
    /// Reads the number of an expiry.
    public init(from decoder: any Decoder) throws {
        self.init(number: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Writes the expiry as a number.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(number)
    }
}
