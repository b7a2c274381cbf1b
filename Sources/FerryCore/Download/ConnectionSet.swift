/// The connections that an attempt has open.
struct ConnectionSet: Hashable, Sendable {
    private var all: [ConnectionID: OpenConnection] = [:]
    private var latest = 0

    /// One connection; `nil` once it has ended. A connection that has ended does not change any more.
    subscript(id: ConnectionID) -> OpenConnection? {
        get { all[id] }
        set { if all[id] != nil, let newValue { all[id] = newValue } }
    }

    /// Registers a new connection. The caller orders its opening.
    mutating func open(_ connection: OpenConnection) -> ConnectionID {
        latest += 1
        let id = ConnectionID(rawValue: latest)
        all[id] = connection
        return id
    }

    /// A connection has ended. Returns `nil` if it had ended before.
    mutating func end(_ id: ConnectionID) -> OpenConnection? { all.removeValue(forKey: id) }

    // MARK: Cutting

    /// Orders a connection to be cut, once.
    mutating func cut(_ id: ConnectionID) -> [DownloadAction] {
        guard all[id]?.isCut == false else { return [] }
        all[id]?.isCut = true
        return [.disconnect(id)]
    }

    /// Cuts every connection.
    mutating func cutAll() -> [DownloadAction] { all.keys.sorted().flatMap { cut($0) } }

    /// Cuts a connection whose answer is of no use. Its end is then ignored.
    mutating func dismiss(_ id: ConnectionID) -> [DownloadAction] {
        all[id]?.work = .nothing
        return cut(id)
    }

    /// Dismisses every connection but one.
    mutating func dismissAll(but kept: ConnectionID? = nil) -> [DownloadAction] {
        all.keys.sorted().filter { $0 != kept }.flatMap { dismiss($0) }
    }

    /// Dismisses the connections whose bodies have not begun, except those that only compare.
    mutating func dismissIdle() -> [DownloadAction] {
        all.keys.sorted().filter { all[$0]?.isReceiving == false && all[$0]?.comparison == nil }
            .flatMap { dismiss($0) }
    }

    /// Ends the connections to a source that is not used any more. What still arrives of a body is written until it ends.
    mutating func leave(_ source: SourceID) -> [DownloadAction] {
        all.keys.sorted().filter { all[$0]?.source == source }
            .flatMap { all[$0]?.isReceiving == true ? cut($0) : dismiss($0) }
    }

    /// Makes the machine ignore what the connections still write.
    mutating func disregardAll() {
        for id in all.keys { all[id]?.work = .nothing }
    }

    // MARK: Questions

    /// Whether none is open.
    var isEmpty: Bool { all.isEmpty }

    /// Number of open connections that have not been dismissed.
    var liveCount: Int { all.values.count { !$0.isDismissed } }

    /// Number of open connections that were neither dismissed nor cut.
    var keptCount: Int { all.values.count { !$0.isDismissed && !$0.isCut } }

    /// Whether a connection is open that has not been dismissed.
    var hasLive: Bool { all.values.contains { !$0.isDismissed } }

    /// Number of open connections to a source that have not been dismissed.
    func count(of source: SourceID) -> Int {
        all.values.count { $0.source == source && !$0.isDismissed }
    }

    /// The oldest connection that has not been dismissed.
    var oldest: ConnectionID? { all.filter { !$0.value.isDismissed }.keys.min() }

    /// Whether any connection writes, dismissed ones included.
    var isWriting: Bool { all.values.contains(where: \.isReceiving) }

    /// Whether any other connection writes bytes that count.
    func isReceiving(besides id: ConnectionID) -> Bool {
        all.contains { $0.key != id && $0.value.isReceiving && !$0.value.isDismissed }
    }

    /// Connections whose body is being written, the oldest first.
    var receiving: [(id: ConnectionID, connection: OpenConnection)] {
        all.filter { $0.value.isReceiving && !$0.value.isDismissed && !$0.value.isCut }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The lower bounds of the segments that connections fill.
    var segments: Set<Int64> { Set(all.values.compactMap(\.segment)) }

    /// The first segment that is incomplete and that no connection fills.
    func firstFree(in map: SegmentMap) -> Segment? {
        let taken = segments
        return map.segments.first { !$0.isComplete && !taken.contains($0.range.lowerBound) }
    }

    /// The junctions at which connections compare bytes.
    var compared: Set<Junction> { Set(all.values.compactMap(\.comparison?.junction)) }

    /// The connections that will give up a part of their segment.
    var givers: Set<ConnectionID> { Set(all.values.compactMap(\.division?.giver)) }

    /// Whether another connection fills a segment.
    func isFilling(_ bound: Int64, besides id: ConnectionID) -> Bool {
        all.contains { $0.key != id && $0.value.segment == bound }
    }

    // MARK: Speed

    /// Takes a sample of the speed of each body.
    mutating func sample(_ watermarks: [ConnectionID: Int64], at now: Instant) {
        for (id, offset) in watermarks where all[id]?.isReceiving == true {
            all[id]?.speed.sample(offset, at: now)
        }
    }

    /// Whether any connection to a source brought bytes recently.
    func isMoving(_ source: SourceID, at now: Instant) -> Bool {
        all.values.contains { connection in
            guard connection.source == source, connection.isReceiving, !connection.isDismissed else {
                return false
            }
            // Before the second sample nothing is known.
            guard let last = connection.speed.lastProgress else { return true }
            return last.duration(to: now) < PiecePlan.stuckTime
        }
    }

    /// Connections that brought nothing for a time, although others brought bytes at `progress`, the oldest first.
    func stuck(
        since progress: Instant?,
        for bound: Duration,
        at now: Instant
    )
        -> [(id: ConnectionID, connection: OpenConnection)]
    {
        guard let progress else { return [] }
        return all.filter { _, connection in
            let last = connection.speed.lastProgress ?? connection.opened
            return !connection.isDismissed && !connection.isCut && last < progress
                && last.duration(to: now) >= bound
        }
        .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
