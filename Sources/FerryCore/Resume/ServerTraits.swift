/// What a server has been found to do, remembered for every transfer from the same origin.
///
/// It is a hint that saves a round trip, never a proof: whatever it says, each answer is read as strictly.
public struct ServerTraits: Hashable, Sendable, Codable {
    /// Whether it ignores `If-Range`, as object stores do, so that `If-Match` is asked instead.
    public var lacksIfRange: Bool

    /// How many connections it serves at once for one download; `nil` when it has refused none.
    public var connectionLimit: ConnectionLimit?

    /// A server of which nothing is known.
    public init(lacksIfRange: Bool = false, connectionLimit: ConnectionLimit? = nil) {
        self.lacksIfRange = lacksIfRange
        self.connectionLimit = connectionLimit
    }

    /// How long a finding is believed, as servers are mended and moved.
    public static let lifetime: Duration = .seconds(90 * 86_400)

    private enum CodingKeys: String, CodingKey {
        case lacksIfRange
        // Under its former name it did not say when it was found.
        case connectionLimit = "limit"
    }

    /// Reads traits; what an older Ferry did not know is taken for unknown.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lacksIfRange = try container.decodeIfPresent(Bool.self, forKey: .lacksIfRange) ?? false
        connectionLimit = try container.decodeIfPresent(ConnectionLimit.self, forKey: .connectionLimit)
    }

    /// How many connections a server was found to serve at once.
    ///
    /// It may have been for the load of that hour, so it is tried again before long: one request that is refused is a
    /// small price.
    public struct ConnectionLimit: Hashable, Sendable, Codable {
        /// The number; at least 1.
        public var count: Int
        /// When it was found.
        public var found: Instant

        /// Creates a limit.
        public init(_ count: Int, found: Instant) {
            self.count = max(1, count)
            self.found = found
        }

        /// How long it is believed.
        public static let lifetime: Duration = .seconds(3600)

        /// Whether it is still believed. One that was found in the future was found while the clock was wrong.
        public func holds(at now: Instant) -> Bool {
            let age = found.duration(to: now)
            return age >= .zero && age < Self.lifetime
        }
    }
}
