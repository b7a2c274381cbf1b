import Hummingbird

/// What has arrived at the server.
actor Ledger {
    /// The numbers that `GET /counts` answers with.
    struct Counts: ResponseEncodable {
        /// Photos that were stored.
        var photos: Int
        /// Records that were stored.
        var records: Int
        /// The most records of one photo.
        var recordsPerPhoto: Int
        /// Requests to store something, with those that were repeated.
        var requests: Int
    }

    private let failing: Int
    private var photos: [String: String] = [:]
    private var records: [String: String] = [:]
    private var recordsByPhoto: [String: Int] = [:]
    private var requests = 0

    /// - Parameter failing: every request of this number fails after it has had its effect; 0 for none.
    init(failing: Int) {
        self.failing = failing
    }

    var counts: Counts {
        Counts(
            photos: photos.count,
            records: records.count,
            recordsPerPhoto: recordsByPhoto.values.max() ?? 0,
            requests: requests
        )
    }

    /// Notes a photo; returns its ID.
    func photo(named name: String) throws -> String {
        let id = photos[name] ?? "photo-\(photos.count + 1)"
        photos[name] = id
        try failNowAndThen()
        return id
    }

    /// Notes a record, unless the key is known; returns its ID.
    func record(of photo: String, key: String) throws -> String {
        guard photos.values.contains(photo) else {
            throw HTTPError(.unprocessableContent, message: "There is no photo \(photo).")
        }
        if records[key] == nil {
            records[key] = "record-\(records.count + 1)"
            recordsByPhoto[photo, default: 0] += 1
        }
        try failNowAndThen()
        return records[key, default: ""]
    }

    private func failNowAndThen() throws {
        requests += 1
        if failing > 0, requests.isMultiple(of: failing) { throw HTTPError(.internalServerError) }
    }
}
