/// What a server was found to do, remembered for every transfer from the same origin.
///
/// It is a hint that saves a round trip, never a proof: every answer is read as strictly as without it.
package struct ServerTraits: Hashable, Sendable, Codable {
    /// Whether it ignores `If-Range`, as object stores do. `If-Match` is sent instead.
    package var lacksIfRange: Bool

    /// Maximum number of connections that it serves at once for one download; `nil` if it has never refused one.
    package var connectionLimit: ConnectionLimit?

    /// Creates the traits of an unknown server.
    package init(lacksIfRange: Bool = false, connectionLimit: ConnectionLimit? = nil) {
        self.lacksIfRange = lacksIfRange
        self.connectionLimit = connectionLimit
    }

    /// How long a finding is believed; servers are repaired and moved.
    package static let lifetime: Duration = .seconds(90 * 86_400)

    private enum CodingKeys: String, CodingKey {
        case lacksIfRange
        // The field under the former name did not say when the limit was found.
        case connectionLimit = "limit"
    }

    /// Reads traits. A field that is missing, because an older Ferry wrote them, is unknown.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        lacksIfRange = try fields.value(of: .lacksIfRange) ?? false
        connectionLimit = try fields.value(of: .connectionLimit)
    }

    /// Number of connections that a server was found to serve at once.
    ///
    /// The load of that hour may have caused it, so it is tried again soon: one refused request costs little.
    package struct ConnectionLimit: Hashable, Sendable, Codable {
        /// The number; at least 1.
        package var count: Int
        /// When it was found.
        package var found: Instant

        /// Creates a limit.
        package init(_ count: Int, found: Instant) {
            self.count = max(1, count)
            self.found = found
        }

        /// How long it is believed.
        package static let lifetime: Duration = .seconds(3600)

        /// Whether it is still believed. A finding in the future was made while the clock was wrong.
        package func holds(at now: Instant) -> Bool {
            let age = found.duration(to: now)
            return age >= .zero && age < Self.lifetime
        }

        /// Whether it is below the number of connections that a caller has named. Never if that is `nil`.
        package func holdsBack(_ named: Int?, at now: Instant) -> Bool {
            holds(at: now) && count < named ?? 0
        }
    }
}
