import FerryTesting

/// Answers as nginx, Apache, lighttpd and Caddy have written them, and what damage makes of them.
///
/// `Fuzz/Corpus/recorded-answer` has one file for each. The first line is the method of the request.
struct RecordedAnswers: Sendable {
    struct Recording: Sendable {
        var name: String
        var isHead: Bool
        var bytes: [UInt8]
    }

    let recordings: [Recording]

    init() throws {
        recordings = try SeedFolder("recorded-answer").seeds.map { seed in
            let method = seed.bytes.prefix { $0 != 10 }
            return Recording(
                name: seed.file,
                isHead: method.starts(with: "HEAD".utf8),
                bytes: Array(seed.bytes.dropFirst(method.count + 1))
            )
        }
    }

    /// The exchange of one seed: real answers, most of them damaged, each sent in pieces of any size.
    ///
    /// The server ends what is not one whole answer. So no request has to wait for a timeout.
    func exchange(seed: UInt64) -> RawExchange {
        var dice = SeededRandom(seed: seed)
        let isHead = dice.happens(1, in: 12)
        let connections = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
            connection(isHead, using: &dice)
        }
        return RawExchange(
            seed: seed,
            lane: dice.happens(1, in: 6) ? .secure : .plain,
            connections: connections,
            requests: (0..<Int.random(in: 1...3, using: &dice)).map { _ in
                RawExchange.Request(isHead: isHead, treatment: .receive(limit: nil))
            },
            isEnding: true
        )
    }

    private func connection(_ isHead: Bool, using dice: inout SeededRandom) -> [RawExchange.Step] {
        var steps: [RawExchange.Step] = []
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            let answer = answer(isHead, using: &dice)
            steps.append(.awaitHead)
            steps += RawExchange.send(answer, using: &dice)
            guard SecondOpinion(answer, answeringHead: isHead).isOneAnswer else { break }
            // A connection that closes just as the next request comes.
            if dice.happens(1, in: 5) { return steps + [.awaitHead, .close] }
        }
        return steps + [[.close, .close, .close, .halfClose, .reset].randomElement(using: &dice) ?? .close]
    }

    private func answer(_ isHead: Bool, using dice: inout SeededRandom) -> [UInt8] {
        let choice = recordings.filter { $0.isHead == isHead }
        func one() -> [UInt8] { choice.randomElement(using: &dice)?.bytes ?? [] }
        var answer = one()
        if dice.happens(1, in: 10) { return answer }
        for _ in 0..<Int.random(in: 1...3, using: &dice) {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0: answer += one()
            case 1: answer = Array(answer.prefix(Int.random(in: 0...answer.count, using: &dice)))
            case 2...4: changeNumber(in: &answer, using: &dice)
            case 5, 6: changeLines(of: &answer, using: &dice)
            default:
                var damage = SeedMutation(seed: dice.next())
                answer = damage.damaged(answer, with: one())
            }
        }
        return answer
    }

    /// Changes a number, most often one of a head or the size of a chunk.
    private func changeNumber(in answer: inout [UInt8], using dice: inout SeededRandom) {
        var numbers: [Range<Int>] = []
        var start = 0
        for index in 0...answer.count where index == answer.count || !(48...57).contains(answer[index]) {
            if start < index { numbers.append(start..<index) }
            start = index + 1
        }
        guard let place = numbers.randomElement(using: &dice) else { return }
        let digits = String(decoding: answer[place], as: UTF8.self)
        let number = Int(digits) ?? 0
        let others = [
            "\(number + 1)", "\(max(0, number - 1))", "\(number * 10)", "-\(number)", "0\(number)", "0", "",
        ]
        answer.replaceSubrange(place, with: Array((others.randomElement(using: &dice) ?? "").utf8))
    }

    /// Swaps, repeats or removes lines.
    private func changeLines(of answer: inout [UInt8], using dice: inout SeededRandom) {
        var lines = answer.split(separator: 10, omittingEmptySubsequences: false)
        let one = Int.random(in: 0..<lines.count, using: &dice)
        let other = Int.random(in: 0..<min(lines.count, 14), using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: lines.swapAt(one, other)
        case 1: lines.insert(lines[other], at: one)
        default: lines.remove(at: other)
        }
        answer = Array(lines.joined(separator: [10]))
    }
}
