import FerryCore

/// The limits of servers that one attempt has logged. A limit that holds the download back is logged once.
struct LimitNews: Hashable, Sendable {
    private var told: [Origin: ServerTraits.ConnectionLimit] = [:]

    /// The metadata to log about a server that has refused a further connection; `nil` if its limit does not hold the download
    /// back, or was logged before.
    ///
    /// - Parameter most: the number of connections that the download may have.
    mutating func metadata(
        _ traits: ServerTraits,
        of server: Origin,
        most: Int,
        at now: Instant
    ) -> [String: String]? {
        guard let limit = traits.connectionLimit, limit.holds(at: now), limit.count < most,
            told[server] != limit
        else { return nil }
        told[server] = limit
        let age = limit.found.duration(to: now)
        let left = ServerTraits.ConnectionLimit.lifetime - age
        return [
            "server": "\(server)", "connections": "\(limit.count)",
            "refused": "\(age.wholeMilliseconds / 60_000) min ago",
            // Rounded up, because it is believed until then.
            "valid": "for \((left.wholeMilliseconds + 59_999) / 60_000) min",
        ]
    }
}
