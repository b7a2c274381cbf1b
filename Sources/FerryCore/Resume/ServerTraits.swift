/// What a server has been found to do, remembered for every transfer from the same origin.
///
/// It is a hint that saves a round trip, never a proof: whatever it says, each answer is read as strictly.
public struct ServerTraits: Hashable, Sendable, Codable {
    /// Whether it ignores `If-Range`, as object stores do, so that `If-Match` is asked instead.
    public var lacksIfRange: Bool

    /// How many connections it serves at once for one download; `nil` when it has refused none.
    public var connectionLimit: Int?

    /// A server of which nothing is known.
    public init(lacksIfRange: Bool = false, connectionLimit: Int? = nil) {
        self.lacksIfRange = lacksIfRange
        self.connectionLimit = connectionLimit
    }

    /// How long a finding is believed, as servers are mended and moved.
    public static let lifetime: Duration = .seconds(90 * 86_400)

    private enum CodingKeys: String, CodingKey {
        case lacksIfRange, connectionLimit
    }

    /// Reads traits; what an older Ferry did not know is taken for unknown.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lacksIfRange = try container.decodeIfPresent(Bool.self, forKey: .lacksIfRange) ?? false
        connectionLimit = try container.decodeIfPresent(Int.self, forKey: .connectionLimit)
    }
}
