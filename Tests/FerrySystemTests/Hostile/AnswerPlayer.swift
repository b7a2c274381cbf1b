import Foundation

/// Carries out the steps of an answer.
struct AnswerPlayer {
    let scenario: Scenario
    let request: ScenarioRequest
    let connection: ScriptedConnection
    /// Returns the text for a `{…}`.
    let fill: (String) throws -> String
    /// Sends nothing until the client disconnects.
    let hold: () -> Void

    /// Carries out the steps until one of them, or the client, ends the connection.
    func play(_ steps: [AnswerStep]) throws -> ScriptedServer.Ending {
        for step in steps {
            switch step {
            case .send(let text):
                guard connection.send(try text.bytes(fill)) else { return .closes }
            case .sendAgain(let text, let times):
                guard sendAgain(try text.bytes(fill), times) else { return .closes }
            case .body(let version, let low, let high):
                guard connection.send(try bytes(of: version, low, high)) else { return .closes }
            case .drip(let version, let low, let high, let interval):
                for byte in try bytes(of: version, low, high) {
                    guard connection.send([byte]) else { return .closes }
                    connection.pause(interval)
                }
            case .honest(let honest):
                let ending = try play(honest)
                guard ending == .stays else { return ending }
            case .hold:
                hold()
                return .closes
            case .reset: return .resets
            case .close: return .closes
            }
        }
        return .stays
    }

    /// Sends many repetitions in one call, so that a large number of them is fast.
    private func sendAgain(_ bytes: [UInt8], _ times: Int) -> Bool {
        let perCall = max(1, 16_384 / max(1, bytes.count))
        let block = Array(repeatElement(bytes, count: min(perCall, times)).joined())
        var left = times
        while left >= perCall {
            guard connection.send(block) else { return false }
            left -= perCall
        }
        return connection.send(block.prefix(left * bytes.count))
    }

    private func bytes(of version: String, _ low: ScenarioNumber, _ high: ScenarioNumber) throws -> Data {
        guard let content = scenario.versions[version]?.content,
            let start = low.value({ scenario.meaning(of: $0, for: request) }),
            let end = high.value({ scenario.meaning(of: $0, for: request) }),
            start >= 0, end <= content.count, start <= end
        else { throw ScenarioMistake("\(version) has no such bytes for \(request.head.path)") }
        return content.bytes[start..<end]
    }

    private func play(_ honest: HonestAnswer) throws -> ScriptedServer.Ending {
        guard let version = scenario.versions[honest.version] else {
            throw ScenarioMistake("there is no version '\(honest.version)'")
        }
        var (head, range) = honest.answer(to: request.head, with: version)
        for field in honest.fields { head += String(decoding: try field.bytes(fill), as: UTF8.self) + "\r\n" }
        guard connection.send(Array((head + "\r\n").utf8)) else { return .closes }
        guard request.head.method != "HEAD" else { return .stays }
        let cut = honest.cut?.value { scenario.meaning(of: $0, for: request) }
        if let cut { range = range.lowerBound..<min(range.upperBound, range.lowerBound + cut) }
        let body = version.content.bytes[range]
        let isChunked = head.contains("Transfer-Encoding: chunked")
        if isChunked {
            let size = Array("\(String(body.count, radix: 16))\r\n".utf8)
            let tail = cut == nil ? "\r\n0\r\n\r\n" : "\r\n"
            guard connection.send(size + body + Array(tail.utf8)) else { return .closes }
        } else {
            guard connection.send(body, bytesPerSecond: honest.pace) else { return .closes }
        }
        guard cut != nil else { return .stays }
        switch honest.end {
        case .close: return .closes
        case .reset: return .resets
        case .hold:
            hold()
            return .closes
        }
    }
}
