import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// Random events on the connections of an attempt: bodies arrive and end, answers come, and more connections are opened.
@Suite("The connections of an attempt")
struct ConnectionBoardTests {
    private static let length: Int64 = 1 << 20

    private struct Walk {
        var random: SeededRandom
        var board: ConnectionBoard
        var download: Download
        var mostAtOnce = 0
        var divisions = 0

        init(seed: UInt64) throws {
            random = SeededRandom(seed: seed)
            var options = DownloadOptions()
            options.connections = 8
            let specification = DownloadSpecification(
                url: try HTTPURL(parsing: "https://objects.example/f"),
                destination: .file(directory: "/d", name: .fallback),
                options: options
            )
            var progress = DownloadProgress()
            progress.segments = SegmentMap(length: ConnectionBoardTests.length)
            progress.validator = Validator([.eTag: "\"v1\""], receivedAt: .epoch)
            download = Download(specification: specification, progress: progress, now: .epoch)
            board = ConnectionBoard(
                pieces: PiecePlan(most: 8, smallestPiece: 4096),
                sources: SourceBoard(lead: ServerTraits())
            )
            // What the server may be known for is asked only once.
            board.sources.learn(ServerTraits(), of: download.server(of: .own))
            connect()
        }

        /// The connections that are open.
        private var ids: [ConnectionID] = []

        private mutating func learn(_ actions: [DownloadAction]) {
            for action in actions {
                switch action {
                case .connect(let id, _), .connectBeside(let id, _): ids.append(id)
                default: break
                }
            }
        }

        private mutating func connect() {
            guard let free = board.connections.firstFree(in: download.progress.segments) else { return }
            let request = board.sources.request(for: free, of: download, from: .own)
            let connection = OpenConnection(
                .segment(free.range.lowerBound),
                request,
                from: .own,
                at: download.now
            )
            learn([board.connect(connection)])
        }

        mutating func step() {
            download.now = download.now.advanced(by: .milliseconds(.random(in: 1...200, using: &random)))
            let id = ids.randomElement(using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1, 2:
                write()
                _ = board.sample(watermarks, of: download)
                learn(board.fill(&download))
            case 3, 4, 5:
                if let id { answer(id) }
            case 6:
                if let id, random.next() % 4 == 0 { end(id) }
            default:
                for id in ids where isComplete(id) { end(id) }
                if !board.connections.hasLive { connect() }
            }
            check()
        }

        private var watermarks: [ConnectionID: Int64] {
            var known: [ConnectionID: Int64] = [:]
            for (id, connection) in board.connections.receiving {
                known[id] = download.segment(of: connection)?.written
            }
            return known
        }

        private mutating func write() {
            for (_, connection) in board.connections.receiving {
                guard let segment = download.segment(of: connection) else { continue }
                let more = Int64.random(in: 0...8192, using: &random)
                download.advance(connection, to: min(segment.written + more, segment.range.upperBound))
            }
        }

        /// The server sends the part that was asked for.
        private mutating func answer(_ id: ConnectionID) {
            guard let connection = board.connections[id], !connection.isReceiving, !connection.isDismissed
            else {
                return
            }
            if let division = connection.division {
                guard board.divide(&download.progress.segments, division, for: id) else {
                    _ = board.connections.dismiss(id)
                    return
                }
                divisions += 1
            }
            guard let segment = board.connections[id].flatMap({ download.segment(of: $0) }) else { return }
            board.connections[id]?.receive(from: segment.written)
        }

        private func isComplete(_ id: ConnectionID) -> Bool {
            guard let connection = board.connections[id] else { return false }
            return connection.isCut
                || connection.isReceiving && download.segment(of: connection)?.isComplete ?? true
        }

        private mutating func end(_ id: ConnectionID) {
            let ended = board.connections.end(id)
            ids.removeAll { $0 == id }
            let again = board.connections.end(id)
            #expect(ended != nil && again == nil && board.connections[id] == nil)
            // What is ordered of one that has ended changes nothing.
            let before = board
            board.connections[id]?.work = .segment(0)
            let cuts = board.connections.cut(id) + board.connections.dismiss(id)
            #expect(cuts.isEmpty && board == before)
        }

        private mutating func check() {
            let open = ids.compactMap { id in board.connections[id].map { (id, $0) } }
            let filled = open.compactMap(\.1.segment)
            #expect(Set(filled).count == filled.count, "two connections fill one segment")
            let givers = open.compactMap(\.1.division?.giver)
            #expect(Set(givers).count == givers.count, "two connections take of one")
            for (id, connection) in open {
                #expect(connection.division?.giver != id)
                guard let bound = connection.segment, let segment = download.progress.segments[bound] else {
                    continue
                }
                #expect(segment.range.lowerBound == bound)
            }
            // The map has neither gaps nor overlaps, however it was divided.
            #expect(
                SegmentMap(segments: download.progress.segments.segments) == download.progress.segments
            )
            #expect(board.connections.liveCount <= 8)
            #expect(download.progress.segments.segments.count <= PiecePlan.mostSegments + 8)
            mostAtOnce = max(mostAtOnce, board.connections.receiving.count)
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func noTwoConnectionsFillOneSegment(block: UInt64) throws {
        var (most, divisions) = (0, 0)
        for seed in block * 10..<(block + 1) * 10 {
            var walk = try Walk(seed: seed)
            for _ in 0..<300 { walk.step() }
            most = max(most, walk.mostAtOnce)
            divisions += walk.divisions
        }
        #expect(most > 2 && divisions > 0, "\(most) connections, \(divisions) divisions")
    }

    @Test func eachConnectionIsCutOnce() {
        var set = ConnectionSet()
        let connection = OpenConnection(.segment(0), .whole, from: .own, at: .epoch)
        let (first, second) = (set.open(connection), set.open(connection))
        #expect(first < second && set.liveCount == 2 && set.oldest == first)
        let cuts = set.cut(first) + set.cut(first) + set.dismiss(first)
        #expect(cuts == [.disconnect(first)] && set.liveCount == 1 && set.oldest == second)
        let others = set.dismissAll()
        #expect(others == [.disconnect(second)] && !set.hasLive && !set.isEmpty)
    }
}
