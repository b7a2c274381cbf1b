import FerryTesting

/// Bytes that are an answer of HTTP, or nearly so.
enum RawAnswer {
    /// One to three answers in a row, sometimes damaged.
    static func several(using dice: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        if dice.happens(1, in: 20) { bytes += Array("\r\n".utf8) }
        repeat { bytes += one(using: &dice) } while dice.happens(1, in: 6) && bytes.count < 4000
        if dice.happens(1, in: 20) { bytes += noise(using: &dice) }
        guard dice.happens(1, in: 4) else { return bytes }
        var damage = SeedMutation(seed: dice.next())
        return damage.damaged(bytes, with: one(using: &dice))
    }

    /// What comes before anything was asked.
    static func opening(using dice: inout SeededRandom) -> [UInt8] {
        dice.happens(1, in: 2) ? one(using: &dice) : noise(using: &dice)
    }

    /// The answer to CONNECT.
    static func tunnel(using dice: inout SeededRandom) -> [UInt8] {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0..<4: Array("HTTP/1.1 200 Connected\r\n\r\n".utf8)
        case 4: Array("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        case 5: Array("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n".utf8)
        default: several(using: &dice)
        }
    }

    /// Something like a record of TLS.
    static func record(using dice: inout SeededRandom) -> [UInt8] {
        if dice.happens(1, in: 5) { return several(using: &dice) }
        let kind = [20, 21, 22, 23, 24, 255, 0].randomElement(using: &dice) ?? 22
        let body: [UInt8]
        switch kind {
        case 21: body = [UInt8.random(in: 0...3, using: &dice), UInt8.random(in: 0...120, using: &dice)]
        case 22:
            let rest = noise(using: &dice)
            let type = UInt8([0, 1, 2, 4, 8, 11, 13, 14, 15, 20].randomElement(using: &dice) ?? 2)
            body = [type, 0, 0, UInt8(truncatingIfNeeded: rest.count)] + [3, 3] + rest
        default: body = noise(using: &dice)
        }
        let length = dice.happens(1, in: 8) ? Int.random(in: 0...65535, using: &dice) : body.count
        let minor = UInt8([0, 1, 3, 3, 3, 4, 99].randomElement(using: &dice) ?? 3)
        return [
            UInt8(kind), 3, minor, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
        ] + body
    }

    /// The answer to a greeting of SOCKS.
    static func socksMethod(using dice: inout SeededRandom) -> [UInt8] {
        switch Int.random(in: 0..<16, using: &dice) {
        case 0: [5, UInt8.random(in: 0...255, using: &dice)]
        case 1: [UInt8.random(in: 0...255, using: &dice), 0]
        case 2: [5]
        case 3: [5, 0] + noise(using: &dice)
        case 4: noise(using: &dice)
        default: [5, 0]
        }
    }

    /// The answer to a request of SOCKS.
    static func socksReply(using dice: inout SeededRandom) -> [UInt8] {
        var reply: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0, 80]
        switch Int.random(in: 0..<14, using: &dice) {
        case 0: reply[1] = UInt8.random(in: 0...255, using: &dice)
        case 1: reply[0] = UInt8.random(in: 0...255, using: &dice)
        case 2: reply[2] = UInt8.random(in: 0...255, using: &dice)
        case 3: reply[3] = UInt8.random(in: 0...255, using: &dice)
        case 4: reply = [5, 0, 0, 3, 4] + Array("host".utf8) + [0, 80]
        case 5: reply = [5, 0, 0, 3, 255] + noise(using: &dice)
        case 6: reply = [5, 0, 0, 4] + [UInt8](repeating: 0, count: 18)
        case 7: reply = Array(reply.prefix(Int.random(in: 0...9, using: &dice)))
        case 8: reply += noise(using: &dice)
        case 9: reply = noise(using: &dice)
        default: break
        }
        return reply
    }

    // MARK: - The grammar

    private static func one(using dice: inout SeededRandom) -> [UInt8] {
        let end = dice.happens(1, in: 15) ? "\n" : "\r\n"
        let body = self.body(using: &dice)
        var head = statusLine(using: &dice) + end
        for field in framing(of: body, using: &dice) { head += field + end }
        for _ in 0..<Int.random(in: 0...3, using: &dice) {
            head += (fields.randomElement(using: &dice) ?? "") + end
        }
        if dice.happens(1, in: 60) {
            for number in 0..<Int.random(in: 1...300, using: &dice) { head += "X-\(number): y" + end }
        }
        if dice.happens(1, in: 60) {
            head += "X: " + String(repeating: "a", count: Int.random(in: 1...90_000, using: &dice)) + end
        }
        return Array((head + end).utf8) + body.bytes
    }

    private struct Body {
        var bytes: [UInt8]
        var isChunked: Bool
    }

    private static func body(using dice: inout SeededRandom) -> Body {
        let plain = noise(using: &dice)
        guard dice.happens(1, in: 3) else { return Body(bytes: plain, isChunked: false) }
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...3, using: &dice) {
            let chunk = noise(using: &dice)
            guard !chunk.isEmpty else { continue }
            var size = String(chunk.count, radix: 16, uppercase: dice.happens(1, in: 2))
            if dice.happens(1, in: 12) { size = sizes.randomElement(using: &dice) ?? size }
            if dice.happens(1, in: 8) { size += extensions.randomElement(using: &dice) ?? "" }
            bytes += Array("\(size)\r\n".utf8) + chunk + Array("\r\n".utf8)
        }
        if !dice.happens(1, in: 8) { bytes += Array("0\r\n".utf8) }
        if dice.happens(1, in: 5) { bytes += Array((trailers.randomElement(using: &dice) ?? "").utf8) }
        if !dice.happens(1, in: 12) { bytes += Array("\r\n".utf8) }
        return Body(bytes: bytes, isChunked: true)
    }

    private static func statusLine(using dice: inout SeededRandom) -> String {
        if dice.happens(1, in: 30) { return oddLines.randomElement(using: &dice) ?? "" }
        let version = dice.happens(1, in: 8) ? versions.randomElement(using: &dice) ?? "" : "HTTP/1.1"
        let code: String
        if dice.happens(1, in: 6) {
            let number = String(Int.random(in: 0...999, using: &dice))
            code = String(repeating: "0", count: 3 - number.count) + number
        } else {
            code = codes.randomElement(using: &dice) ?? "200"
        }
        return version + " " + code + (reasons.randomElement(using: &dice) ?? "")
    }

    private static func framing(of body: Body, using dice: inout SeededRandom) -> [String] {
        if dice.happens(1, in: 8) { return [oddFraming.randomElement(using: &dice) ?? ""] }
        if body.isChunked { return ["Transfer-Encoding: chunked"] }
        if dice.happens(1, in: 5) { return [] }
        let length = body.bytes.count
        return [
            "Content-Length: \(dice.happens(1, in: 8) ? max(0, length + Int.random(in: -3...3, using: &dice)) : length)"
        ]
    }

    private static func noise(using dice: inout SeededRandom) -> [UInt8] {
        let count: Int
        switch Int.random(in: 0..<20, using: &dice) {
        case 0..<3: count = 0
        case 19: count = Int.random(in: 0...70_000, using: &dice)
        default: count = Int.random(in: 1...40, using: &dice)
        }
        guard dice.happens(1, in: 2) else { return [UInt8](repeating: 0x61, count: count) }
        var fast = SeededRandom(seed: dice.next())
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &fast) }
    }

    private static let codes = [
        "200", "200", "200", "200", "206", "204", "304", "301", "302", "100", "100", "101", "102", "103",
        "199",
        "000", "001", "050", "099", "401", "404", "407", "408", "416", "500", "503", "600", "999",
    ]
    private static let versions = [
        "HTTP/1.0", "HTTP/0.9", "HTTP/2.0", "HTTP/1.9", "HTTP/3.0", "http/1.1", "ICY", "HTTP/1", "HTTP/11.1",
    ]
    private static let reasons = [
        " OK", " OK", "", " ", " No\u{1}thing", " \u{e4}\u{f6}", "\tx", "x", " a b c",
    ]
    private static let oddLines = [
        "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK", "HTTP/1.1", "", "GET / HTTP/1.1",
        "PRI * HTTP/2.0",
        "HTTP/1.1 -20 OK", "HTTP/1.1 0x1 OK", "{\"a\":1}", "SSH-2.0-x", "220 ftp ready",
    ]
    private static let oddFraming = [
        "Content-Length: -1", "Content-Length: +1", "Content-Length: 9223372036854775807",
        "Content-Length: 9223372036854775808", "Content-Length: 18446744073709551615", "Content-Length: 1, 1",
        "Content-Length: 18446744073709551616", "Content-Length: ", "Content-Length: 1\r\nContent-Length: 2",
        "Content-Length: 1\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: identity", "Transfer-Encoding: ",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: Chunked",
    ]
    private static let fields = [
        "Connection: close", "Connection: keep-alive", "Connection: upgrade\r\nUpgrade: websocket",
        "Connection: upgrade\r\nUpgrade: h2c", "Connection: close, keep-alive", "Connection:",
        "Upgrade: TLS/1.0",
        "Proxy-Connection: close", "Keep-Alive: timeout=0", "Trailer: X", "ETag: \"a\"",
        "Content-Range: bytes 0-1/2",
        ": empty", "No colon", "Bad name: x", "X:", "X: a\r\n folded", " leading: x", "X: \u{0}",
        "X: \u{7f}\u{80}",
        "\u{e4}: x", "Location: /x", "Content-Encoding: gzip", "Set-Cookie: a=b", ":status: 200", "X\t: y",
    ]
    private static let sizes = [
        "ffffffffffffffff", "10000000000000000", "7fffffffffffffff", "8000000000000000", "-1", "0x5", "", "g",
        " 5",
        "00000000000000000005", "fffffffff",
    ]
    private static let extensions = [";a=b", ";a", "; a=\"b\"", ";", " ", ";a=\"\\\"", ";\u{e4}"]
    private static let trailers = [
        "X: y\r\n", "X:\r\n", "X\r\n", ": y\r\n", "Content-Length: 5\r\n", "X: y\r\nY: z\r\n",
    ]
}
