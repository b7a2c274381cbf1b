/// What a server has been found to do, remembered for every transfer from the same origin.
///
/// It is a hint that saves a round trip, never a proof: whatever it says, each answer is read as strictly.
public struct ServerTraits: Hashable, Sendable, Codable {
    /// Whether it ignores `If-Range`, as object stores do, so that `If-Match` is asked instead.
    public var lacksIfRange: Bool

    /// A server of which nothing is known.
    public init(lacksIfRange: Bool = false) {
        self.lacksIfRange = lacksIfRange
    }

    /// How long a finding is believed, as servers are mended and moved.
    public static let lifetime: Duration = .seconds(90 * 86_400)

    private enum CodingKeys: String, CodingKey {
        case lacksIfRange
    }

    /// Reads traits; what an older Ferry did not know is taken for unknown.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lacksIfRange = try container.decodeIfPresent(Bool.self, forKey: .lacksIfRange) ?? false
    }
}
