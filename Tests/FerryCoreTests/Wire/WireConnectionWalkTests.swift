import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

/// A connection meets random events, and a plain account of what happened says what it may ask for.
@Suite("A connection with random events")
struct WireConnectionWalkTests {
    @Test(arguments: UInt64(0)..<6)
    func neverContradictsWhatHappened(block: UInt64) throws {
        var seen = Seen()
        for seed in block * 1_500..<(block + 1) * 1_500 {
            var walk = Walk(seed: seed)
            // Some more when it is over: nothing may follow.
            var left = 100
            while left > 0 {
                try walk.step()
                left = walk.isOver ? min(left, 10) - 1 : left - 1
            }
            seen.add(walk.seen)
        }
        #expect(seen.freed > 0 && seen.closed > 0 && seen.stale > 0 && seen.drained > 0)
        #expect(seen.stopped > 0 && seen.refused > 0 && seen.faults > 0 && seen.asked > 0)
        #expect(seen.overtaken > 0 && seen.lingered > 0)
    }

    /// What a walk has met, so that none passes because nothing happened.
    struct Seen {
        var freed = 0
        var closed = 0
        var stale = 0
        var drained = 0
        var stopped = 0
        var refused = 0
        var faults = 0
        var asked = 0
        var overtaken = 0
        var lingered = 0

        mutating func add(_ other: Seen) {
            freed += other.freed
            closed += other.closed
            stale += other.stale
            drained += other.drained
            stopped += other.stopped
            refused += other.refused
            faults += other.faults
            asked += other.asked
            overtaken += other.overtaken
            lingered += other.lingered
        }
    }

    /// The account of one exchange.
    struct Account {
        var length: Int?
        var sent = 0
        var isBodyOver: Bool
        var isBodyStopped = false
        var isWaiting = false
        var closes: Bool
        var received = 0
        var hasHead = false
        var isDropped = false
    }

    struct Walk {
        var connection = WireConnection()
        var random: SeededRandom
        let seed: UInt64
        var now = Instant.epoch
        var isOpen = false
        var isOver = false
        var uses = 0
        var account: Account?
        /// Bytes of the answer that have not come yet.
        var pending: [UInt8] = []
        var seen = Seen()

        init(seed: UInt64) {
            self.seed = seed
            random = SeededRandom(seed: seed)
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

        func fail(_ what: String) { Issue.record("seed \(seed): \(what)") }

        mutating func step() throws {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: open()
            case 1, 2: try begin()
            case 3, 4: try send()
            case 5:
                try endBody()
                if chance(30) { drop() }
            case 6 where chance(20): peerCloses()
            case 7 where chance(20): drop()
            case 8: wait()
            case 9 where chance(2): giveUp()
            default: receive()
            }
            if connection.isIdle, !isOpen || isOver || account != nil {
                fail("it is idle in the middle of something")
            }
            if isOver, !connection.isClosed { fail("it is not closed") }
        }

        mutating func open() {
            connection.opened()
            if !isOver { isOpen = true }
        }

        mutating func begin() throws {
            let lengths: [Int?] = [nil, 0, 5, 40]
            let hasBody = chance(50)
            let length = lengths.randomElement(using: &random)!
            let (expects, closes) = (chance(40), chance(10))
            let body: WireRequest.Body =
                hasBody ? .streamed(length: length.map(Int64.init), expectsContinue: expects) : .none
            let target = WireRequest.Target.origin(try HTTPURL(parsing: "http://h/"))
            let method: HTTPRequest.Method = hasBody ? .put : chance(80) ? .get : .head
            let request = WireRequest(method, target, body: body, closes: closes)
            let isReady = isOpen && !isOver && account == nil
            switch try connection.begin(request, at: now) {
            case .refused:
                seen.refused += 1
                if isReady { fail("an idle connection refuses") }
            case .write(let head, let start, let isReused):
                if !isReady { fail("a request was given to a connection that is not idle") }
                if isReused != (uses > 0) { fail("it does not know whether it was used") }
                if !head.starts(with: "\(method.rawValue) / HTTP/1.1\r\n".utf8) { fail("another head") }
                let sends = hasBody && length != 0
                if (start == .none) == sends { fail("a body is not sent, or one that is none") }
                var account = Account(length: sends ? length : 0, isBodyOver: !sends, closes: closes)
                if case .onceAsked = start { account.isWaiting = true }
                self.account = account
                pending = answer()
            }
        }

        /// The bytes of an answer, which mostly is right.
        mutating func answer() -> [UInt8] {
            let samples =
                ResponseReaderTests.samples + LenientAnswerTests.samples
                + (chance(20) ? RefusedAnswerTests.samples : [])
            let sample = samples.randomElement(using: &random)!
            let interim = ["", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\n\r\n"]
            let early = ["HTTP/1.1 413 No\r\nContent-Length: 2\r\n\r\nno", "HTTP/1.1 401 No\r\n\r\n"]
            if chance(50) { return Array(WireConnectionTests.ok.utf8) }
            let bytes = chance(20) ? Array(early.randomElement(using: &random)!.utf8) : sample.bytes
            return Array(interim.randomElement(using: &random)!.utf8) + bytes
        }

        mutating func send() throws {
            let count = Int.random(in: 0...12, using: &random)
            guard let account, !account.isBodyOver, !isOver else {
                if try connection.send(0) != .unwanted { fail("a body is sent that no one has begun") }
                return
            }
            let fits = account.length.map { account.sent + count <= $0 } ?? true
            guard fits || chance(5) else { return }
            do throws(RequestFault) {
                switch try connection.send(count) {
                case .write:
                    if !fits { fail("a body is longer than its length") }
                    if account.isBodyStopped || account.isWaiting {
                        fail("a body is sent that is not wanted")
                    }
                    self.account?.sent += count
                case .unwanted:
                    if !account.isBodyStopped, !account.isWaiting {
                        fail("a body that is wanted is not sent")
                    }
                }
            } catch {
                if fits || error != .bodyTooLong { fail("a right body is refused") }
                end()
            }
        }

        mutating func endBody() throws {
            guard let account, !account.isBodyOver, !account.isWaiting, !isOver else { return }
            let isWhole = account.length.map { account.sent == $0 } ?? true
            guard isWhole || account.isBodyStopped || chance(5) else { return }
            do throws(RequestFault) {
                self.account?.isBodyOver = true
                if !account.isBodyStopped, !isWhole { self.account?.isBodyOver = false }
                let (_, effect) = try connection.endBody()
                if !isWhole, !account.isBodyStopped { fail("a body is shorter than its length") }
                if let effect { perform(effect, behind: 0) }
            } catch {
                if isWhole || error != .bodyTooShort { fail("a right body cannot end") }
                end()
            }
        }

        mutating func receive() {
            let unasked = account == nil || pending.isEmpty
            guard !unasked || chance(10) else { return }
            var piece: [UInt8] = Array("junk".utf8)
            if !unasked {
                let count = Int.random(in: 1...pending.count, using: &random)
                piece = Array(pending.prefix(count))
                pending.removeFirst(count)
            }
            account?.received += piece.count
            var position = 0
            while let effect = connection.receive(piece.span.bytes, at: &position) {
                perform(effect, behind: piece.count - position)
                if isOver { break }
            }
            if unasked, account == nil, !isOver { fail("bytes that no one asked for are taken") }
        }

        mutating func peerCloses() {
            let wasOver = isOver
            guard let effect = connection.peerClosed(isOrderly: chance(60)) else {
                if !wasOver { fail("a close is ignored") }
                return
            }
            if wasOver { fail("a closed connection closes again") }
            perform(effect, behind: 0)
            if !isOver { fail("a connection outlives its peer") }
            isOver = true
        }

        mutating func drop() {
            guard account != nil, !isOver else { return }
            let limit: Int64 = chance(50) ? 0 : Int64.random(in: 1...100, using: &random)
            let dropping = connection.drop(reading: limit)
            if account?.isBodyOver == false, account?.isBodyStopped == false, account?.hasHead == true,
                dropping != .sends
            {
                fail("a body is cut short although the server said nothing against it")
            }
            if dropping == .closes { return end() }
            if account?.hasHead != true || account?.isBodyStopped == true {
                fail("it waits for the rest of nothing")
            }
            if dropping == .lingers {
                seen.lingered += 1
                if account?.length == 0 { fail("it lingers, and the request has no body") }
            }
            if account?.isBodyOver == false { seen.overtaken += 1 }
            account?.isDropped = true
        }

        mutating func wait() {
            now = now.advanced(by: .milliseconds(Int64.random(in: 0...700, using: &random)))
            guard connection.waited(at: now) else { return }
            if account?.isWaiting != true { fail("a body that does not wait is begun") }
            account?.isWaiting = false
        }

        mutating func giveUp() {
            connection.close()
            end()
        }

        /// The connection is over.
        mutating func end() {
            isOver = true
            account = nil
            seen.closed += 1
        }

        mutating func perform(_ effect: WireConnection.Effect, behind: Int) {
            if isOver { fail("it asks for something when all is over") }
            if let account, account.isDropped {
                switch effect {
                case .drained, .end: break
                case .close: if !account.isBodyOver { fail("a body is cut short without a word") }
                case .lost: if account.isBodyOver { fail("what is not wanted is lost") }
                case .interim, .head, .body: fail("an answer that was dropped is handed on")
                }
            }
            switch effect {
            case .interim(_, let startsBody):
                if startsBody, account?.isWaiting != true { fail("a body that does not wait is begun") }
                if startsBody { seen.asked += 1 }
                if startsBody { account?.isWaiting = false }
            case .head(_, _, let turn):
                let stopsBody = turn == .stops
                if account?.hasHead != false { fail("a second head") }
                if stopsBody, account?.isBodyOver == true { fail("a body is stopped that is over") }
                if account?.isWaiting == true, turn == .none { fail("a body waits for ever") }
                account?.hasHead = true
                if stopsBody { seen.stopped += 1 }
                account?.isBodyStopped = stopsBody
                if turn != .none { account?.isWaiting = false }
            case .body:
                if account?.hasHead != true { fail("a body without a head") }
            case .end(_, let afterwards):
                if account?.hasHead != true { fail("an end without a head") }
                if account?.isBodyStopped == false, account?.isBodyOver == false {
                    fail("an end before the body's")
                }
                finish(afterwards, behind: behind)
            case .drained(let afterwards):
                seen.drained += 1
                if account?.isDropped != true { fail("an answer is dropped by itself") }
                finish(afterwards, behind: behind)
            case .lost(let loss):
                judge(loss)
                end()
            case .close:
                if let account, !account.isDropped { fail("an exchange is over without a word") }
                end()
            }
        }

        mutating func judge(_ loss: ExchangeLoss) {
            guard let account else { return fail("a loss without an exchange") }
            switch loss {
            case .nothingLeft: fail("something has left")
            case .unanswered(let isReused):
                if account.received > 0 { fail("there was an answer") }
                if isReused != (uses > 0) { fail("it does not know whether it was used") }
                if isReused { seen.stale += 1 }
            case .closedWhileSending:
                if account.isBodyOver || account.isBodyStopped { fail("nothing was being sent") }
            case .fault(let fault):
                seen.faults += 1
                if account.received == 0 { fail("a fault in nothing") }
                if fault == .closedBeforeAnswer { fail("a close before an answer has a case of its own") }
            }
        }

        mutating func finish(_ afterwards: WireConnection.Afterwards, behind: Int) {
            guard let account else { return fail("an end without an exchange") }
            switch afterwards {
            case .free:
                seen.freed += 1
                if account.closes || behind > 0 { fail("it is free although something speaks against it") }
                if !account.isBodyOver || account.isBodyStopped {
                    fail("it is free in the middle of a request")
                }
                if !connection.isIdle { fail("it is free and not idle") }
                uses += 1
                self.account = nil
                pending = []
            case .close: end()
            case .tunnel: fail("a tunnel that no one asked for")
            }
        }
    }
}
