import FerryTesting
import HTTPTypes
import Testing

@testable import FerryCore

@Suite("A connection of HTTP/1")
struct WireConnectionTests {
    typealias Effect = WireConnection.Effect

    /// A connection, and what it has asked for.
    struct Stage {
        var connection = WireConnection()
        var now = Instant.epoch

        init() { connection.opened() }

        mutating func begin(
            _ method: HTTPRequest.Method = .get,
            body: WireRequest.Body = .none,
            closes: Bool = false
        ) throws -> WireConnection.Beginning {
            let target: WireRequest.Target =
                method == .connect
                ? .authority(host: "h", port: 443) : .origin(try HTTPURL(parsing: "http://h/"))
            return try connection.begin(WireRequest(method, target, body: body, closes: closes), at: now)
        }

        /// Gives bytes to the connection in one piece; returns what it asks for and how much it left.
        mutating func receive(_ text: String) -> (effects: [Effect], left: Int) {
            let bytes = Array(text.utf8)
            var position = 0
            var effects: [Effect] = []
            while let effect = connection.receive(bytes.span.bytes, at: &position) { effects.append(effect) }
            return (effects, bytes.count - position)
        }
    }

    static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    static let upload = WireRequest.Body.streamed(length: 10, expectsContinue: false)
    static let asking = WireRequest.Body.streamed(length: 10, expectsContinue: true)

    private func isFree(_ effect: Effect?) -> Bool {
        if case .end(_, .free) = effect { true } else { false }
    }

    private func isClosing(_ effect: Effect?) -> Bool {
        if case .end(_, .close) = effect { true } else { false }
    }

    @Test("takes a request only when it is open and idle")
    func takesRequestsWhenIdle() throws {
        var stage = Stage()
        stage.connection = WireConnection()
        #expect(try stage.begin() == .refused)
        stage.connection.opened()
        guard case .write(let head, .none, isReused: false) = try stage.begin() else {
            Issue.record("no head was written")
            return
        }
        #expect(head == Array("GET / HTTP/1.1\r\nHost: h\r\n\r\n".utf8))
        #expect(try stage.begin() == .refused)
        #expect(isFree(stage.receive(Self.ok).effects.last))
        guard case .write(_, .none, isReused: true) = try stage.begin() else {
            Issue.record("the connection was not used again")
            return
        }
    }

    @Test("a request that cannot be written leaves the connection as it was")
    func badRequestsLeaveNoTrace() throws {
        var stage = Stage()
        let bad = WireRequest(.connect, .authority(host: "a\nb", port: 1))
        #expect(throws: RequestFault.invalidTarget) { try stage.connection.begin(bad, at: .epoch) }
        #expect(stage.connection.isIdle)
    }

    @Test(
        "is used again only when nothing speaks against it",
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi", false, false),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", false, false),
            (ok + "more", false, false),
            (ok, true, false),
            (ok, false, true),
            ("HTTP/1.1 204 No\r\n\r\n", false, true),
        ]
    )
    func isUsedAgain(answer: String, closes: Bool, isFree: Bool) throws {
        var stage = Stage()
        _ = try stage.begin(closes: closes)
        let (effects, _) = stage.receive(answer)
        #expect(self.isFree(effects.last) == isFree)
        #expect(isClosing(effects.last) == !isFree)
        #expect(stage.connection.isIdle == isFree)
    }

    @Test("bytes that no one asked for close it", arguments: [0, 1])
    func dataOnIdleConnections(uses: Int) throws {
        var stage = Stage()
        if uses > 0 {
            _ = try stage.begin()
            _ = stage.receive(Self.ok)
        }
        #expect(stage.receive("H").effects == [.close])
        #expect(try stage.begin() == .refused)
        #expect(stage.receive(Self.ok).effects.isEmpty)
    }

    @Test("a close between requests is no loss, and in an exchange it says what was lost")
    func closesInEachState() throws {
        var idle = Stage()
        #expect(idle.connection.peerClosed(isOrderly: true) == .close)
        #expect(idle.connection.peerClosed(isOrderly: true) == nil)
        let cases: [(String, Bool, Effect)] = [
            ("", true, .lost(.unanswered(isReused: false))),
            ("", false, .lost(.unanswered(isReused: false))),
            ("HTTP/1.1 2", true, .lost(.fault(.closedWithinHead))),
            ("HTTP/1.1 100 Continue\r\n\r\n", true, .lost(.fault(.closedWithinHead))),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", true, .lost(.fault(.closedWithinBody))),
            ("HTTP/1.1 200 OK\r\n\r\nh", false, .lost(.fault(.closedWithinBody))),
        ]
        for (bytes, isOrderly, effect) in cases {
            var stage = Stage()
            _ = try stage.begin()
            _ = stage.receive(bytes)
            #expect(stage.connection.peerClosed(isOrderly: isOrderly) == effect)
            #expect(stage.connection.isClosed)
        }
        var stage = Stage()
        _ = try stage.begin()
        _ = stage.receive("HTTP/1.1 200 OK\r\n\r\nh")
        #expect(isClosing(stage.connection.peerClosed(isOrderly: true)))
    }

    @Test("a reused connection that closes before an answer says so")
    func staleConnections() throws {
        var stage = Stage()
        _ = try stage.begin()
        _ = stage.receive(Self.ok)
        _ = try stage.begin()
        #expect(stage.connection.peerClosed(isOrderly: false) == .lost(.unanswered(isReused: true)))
    }

    @Test(
        "an early refusal stops the body, and the connection closes behind it",
        arguments: [400, 401, 413, 307]
    )
    func earlyRefusals(status: Int) throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.upload)
        #expect(try stage.connection.send(4) == .write(RequestBodyWriter.Frame()))
        let (effects, _) = stage.receive("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno")
        guard case .head(_, .length(2), .stops) = effects.first else {
            Issue.record("the body was not stopped: \(effects)")
            return
        }
        #expect(isClosing(effects.last))
        #expect(try stage.connection.send(4) == .unwanted)
        #expect(try stage.connection.endBody().bytes.isEmpty)
    }

    @Test("an early success lets the body go on, and the exchange ends with it")
    func earlySuccess() throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.upload)
        let (effects, _) = stage.receive(Self.ok)
        #expect(effects.count == 2)
        #expect(try stage.connection.send(10) == .write(RequestBodyWriter.Frame()))
        #expect(isFree(try stage.connection.endBody().effect))
        #expect(stage.connection.isIdle)
    }

    @Test("an early success whose connection then closes is a loss")
    func earlySuccessThatCloses() throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.upload)
        _ = stage.receive(Self.ok)
        #expect(stage.connection.peerClosed(isOrderly: true) == .lost(.closedWhileSending))
        var other = Stage()
        _ = try other.begin(.put, body: Self.upload)
        _ = other.receive("HTTP/1.1 200 OK\r\n\r\nhi")
        #expect(other.connection.drop(reading: 0) == .sends)
        #expect(other.connection.peerClosed(isOrderly: true) == .lost(.closedWhileSending))
    }

    @Test(
        "an unwanted answer that overtakes the body lets it be sent, and is read behind it",
        arguments: [2, 1000]
    )
    func unwantedEarlySuccess(length: Int) throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.upload)
        _ = stage.receive("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
        #expect(stage.connection.drop(reading: 0) == .sends)
        #expect(stage.receive("h").effects.isEmpty)
        #expect(try stage.connection.send(10) == .write(RequestBodyWriter.Frame()))
        #expect(!stage.connection.isDraining)
        #expect(try stage.connection.endBody().effect == nil)
        #expect(stage.connection.isDraining)
        let rest = String(repeating: "h", count: length - 1)
        #expect(stage.receive(rest).effects == [.drained(.free(upTo: nil))])
    }

    @Test(
        "an unwanted answer that is whole before the body ends the exchange with it",
        arguments: [true, false]
    )
    func unwantedWholeEarlySuccess(isWholeBefore: Bool) throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.upload)
        _ = stage.receive(isWholeBefore ? Self.ok : String(Self.ok.dropLast()))
        #expect(stage.connection.drop(reading: 0) == .sends)
        if !isWholeBefore { #expect(stage.receive("i").effects.isEmpty) }
        _ = try stage.connection.send(10)
        #expect(isFree(try stage.connection.endBody().effect))
    }

    @Test("bytes behind an early success close the connection when the body is sent")
    func excessBehindAnEarlySuccess() throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.upload)
        _ = stage.receive(Self.ok)
        #expect(stage.receive("x").effects.isEmpty)
        _ = try stage.connection.send(10)
        #expect(isClosing(try stage.connection.endBody().effect))
    }

    @Test("a body that waits is sent when it is asked for, or its time has come")
    func bodiesWaitForContinue() throws {
        var asked = Stage()
        guard case .write(_, .onceAsked(let moment), _) = try asked.begin(.put, body: Self.asking) else {
            Issue.record("the body did not wait")
            return
        }
        #expect(moment == Instant(milliseconds: 1000))
        guard
            case .interim(_, startsBody: true) = asked.receive("HTTP/1.1 100 Continue\r\n\r\n").effects.first
        else {
            Issue.record("the body was not asked for")
            return
        }
        #expect(asked.connection.waited(at: moment) == false)
        #expect(try asked.connection.send(10) == .write(RequestBodyWriter.Frame()))

        var silent = Stage()
        _ = try silent.begin(.put, body: Self.asking)
        #expect(try silent.connection.send(10) == .unwanted)
        #expect(silent.connection.waited(at: Instant(milliseconds: 999)) == false)
        #expect(silent.connection.waited(at: moment) == true)
        #expect(silent.connection.waited(at: moment) == false)
        #expect(try silent.connection.send(10) == .write(RequestBodyWriter.Frame()))
        _ = try silent.connection.endBody()
        #expect(isFree(silent.receive("HTTP/1.1 100 Continue\r\n\r\n" + Self.ok).effects.last))
    }

    @Test("a success to a body that waits starts it: without its body the request cannot have succeeded")
    func successInsteadOfContinue() throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.asking)
        let (effects, _) = stage.receive("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        guard case .head(_, _, .starts) = effects.first else {
            Issue.record("the body was not started")
            return
        }
        #expect(effects.count == 1, "the answer is not over before the body is")
        #expect(try stage.connection.send(10) == .write(RequestBodyWriter.Frame()))
        let (_, end) = try stage.connection.endBody()
        #expect(isFree(end))
    }

    @Test(
        "a refusal of a body that waits keeps it here, and the connection closes",
        arguments: [417, 413, 302]
    )
    func answersInsteadOfContinue(status: Int) throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.asking)
        let (effects, _) = stage.receive("HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        guard case .head(_, _, .stops) = effects.first else {
            Issue.record("the body was not stopped")
            return
        }
        #expect(isClosing(effects.last))
    }

    @Test("interim answers are handed on and start no body that does not wait")
    func interimAnswers() throws {
        var stage = Stage()
        _ = try stage.begin(.put, body: Self.upload)
        let hints = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n"
        let statuses = stage.receive(hints).effects.compactMap { effect -> Int? in
            guard case .interim(let head, startsBody: false) = effect else { return nil }
            return head.status
        }
        #expect(statuses == [100, 103])
    }

    @Test(
        "the small rest of an unwanted answer is read, a large one is not",
        arguments: [
            (100, "xx", 98, true), (200, "xx", 98, false), (100, "xx", 97, false),
        ]
    )
    func unwantedAnswers(length: Int, body: String, limit: Int64, isDrained: Bool) throws {
        var stage = Stage()
        _ = try stage.begin()
        _ = stage.receive("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" + body)
        #expect(stage.connection.drop(reading: limit) == (isDrained ? .reads : .closes))
        guard isDrained else { return #expect(stage.connection.isClosed) }
        #expect(stage.receive("yy").effects.isEmpty)
        #expect(stage.receive(String(repeating: "z", count: 96)).effects == [.drained(.free(upTo: nil))])
        #expect(stage.connection.isIdle)
    }

    @Test("chunks of an unwanted answer are read up to the bound")
    func unwantedChunks() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        var short = Stage()
        _ = try short.begin()
        _ = short.receive(head)
        #expect(short.connection.drop(reading: 5) == .reads)
        #expect(short.receive("5\r\nhello\r\n0\r\n\r\n").effects == [.drained(.free(upTo: nil))])
        var long = Stage()
        _ = try long.begin()
        _ = long.receive(head)
        #expect(long.connection.drop(reading: 5) == .reads)
        #expect(long.receive("5\r\nhello\r\n1\r\nx").effects == [.close])
        #expect(long.connection.isClosed)
    }

    @Test("an answer that is dropped before its head, or ends with the connection, closes it")
    func droppedEarly() throws {
        var waiting = Stage()
        _ = try waiting.begin()
        #expect(waiting.connection.drop(reading: 100) == .closes)
        var open = Stage()
        _ = try open.begin()
        _ = open.receive("HTTP/1.1 200 OK\r\n\r\n")
        #expect(open.connection.drop(reading: 100) == .closes)
    }

    @Test(
        "after an unwanted success to a request with a body it is read on, because the peer may not have read the body",
        arguments: [
            ("Content-Length: 2", WireConnection.Dropping.reads), ("Content-Length: 1000", .lingers),
            ("Transfer-Encoding: chunked", .reads), ("Connection: close\r\nContent-Length: 2", .lingers),
            ("Date: today", .lingers),
        ]
    )
    func unwantedSuccessOfASentBody(fields: String, dropping: WireConnection.Dropping) throws {
        for status in [200, 300] {
            var stage = Stage()
            _ = try stage.begin(.put, body: Self.upload)
            _ = try stage.connection.send(10)
            _ = try stage.connection.endBody()
            _ = stage.receive("HTTP/1.1 \(status) So\r\n\(fields)\r\n\r\n")
            let isRefusal = status == 300
            #expect(
                stage.connection.drop(reading: 100)
                    == (isRefusal && dropping == .lingers ? .closes : dropping)
            )
            #expect(stage.connection.isClosed == (isRefusal && dropping == .lingers))
            guard !isRefusal else { continue }
            #expect(stage.connection.mayBeUnread && stage.connection.isDraining)
            let isChunked = fields.contains("chunked")
            let more = isChunked ? "96\r\n" + String(repeating: "z", count: 150) + "\r\n" : "z"
            #expect(stage.receive(more).effects.isEmpty, "no bound but the owner's patience")
            let effect = stage.connection.peerClosed(isOrderly: true)
            #expect(effect == .close)
        }
    }

    @Test("a tunnel keeps the bytes behind the answer")
    func tunnels() throws {
        var stage = Stage()
        _ = try stage.begin(.connect)
        let (effects, left) = stage.receive("HTTP/1.1 200 OK\r\n\r\ntls")
        guard case .end(_, .tunnel) = effects.last else {
            Issue.record("no tunnel: \(effects)")
            return
        }
        #expect(left == 3)
        #expect(try stage.begin() == .refused)
    }

    @Test("a body that breaks its word closes the connection")
    func bodiesKeepTheirWord() throws {
        var long = Stage()
        _ = try long.begin(.put, body: Self.upload)
        #expect(throws: RequestFault.bodyTooLong) { try long.connection.send(11) }
        #expect(long.connection.isClosed)
        var short = Stage()
        _ = try short.begin(.put, body: Self.upload)
        #expect(throws: RequestFault.bodyTooShort) { try short.connection.endBody() }
        #expect(short.connection.isClosed)
    }

    @Test("a fault closes the connection and is told")
    func faultsAreTold() throws {
        var stage = Stage()
        _ = try stage.begin()
        #expect(stage.receive("SSH-2.0-x\r\n").effects == [.lost(.fault(.noStatusLine))])
        #expect(stage.connection.isClosed)
        #expect(stage.connection.peerClosed(isOrderly: true) == nil)
    }
}
