import Testing

@testable import FerrySealed

/// What can happen to a payload is told apart, and nothing of a chunk that does not open is given out.
struct DamagedPayloadTests {
    /// The pieces of a payload, and how it ends: with a problem, or as a whole. The bytes before the problem are given out.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var chunks: [[UInt8]]
        /// How many whole chunks are opened before the problem.
        var opened: Int
        var problem: SealedProblem?
        var testDescription: String { name }
    }

    private static func whole(_ number: UInt8, isLast: Bool = false) throws -> [UInt8] {
        try SealedExample.chunk(SealedExample.whole(number), number, isLast: isLast)
    }

    private static func last(_ number: UInt8, _ text: [UInt8] = Array("the end".utf8)) throws -> [UInt8] {
        try SealedExample.chunk(text, number, isLast: true)
    }

    private static func changed(_ chunk: [UInt8], at place: Int = 0) -> [UInt8] {
        var chunk = chunk
        chunk[place] ^= 1
        return chunk
    }

    /// The names of the published vectors of age (stream_…) stand where there is one.
    static func cases() throws -> [Case] { try wholeCases() + cutCases() + changedCases() + movedCases() }

    private static func wholeCases() throws -> [Case] {
        [
            Case(name: "stream_empty_payload", chunks: [try last(0, [])], opened: 0),
            Case(
                name: "stream_last_chunk_full",
                chunks: [try whole(0), try whole(1, isLast: true)],
                opened: 2
            ),
            Case(name: "stream_three_chunks", chunks: [try whole(0), try whole(1), try last(2)], opened: 2),
        ]
    }

    private static func cutCases() throws -> [Case] {
        let (first, second) = (try whole(0), try whole(1))
        let cut = Array(second.prefix(100))
        return [
            Case(name: "stream_no_chunks", chunks: [], opened: 0, problem: .cutShort(chunks: 0)),
            Case(name: "stream_no_final", chunks: [first], opened: 0, problem: .cutShort(chunks: 1)),
            Case(
                name: "stream_no_final_two",
                chunks: [first, second],
                opened: 1,
                problem: .cutShort(chunks: 2)
            ),
            Case(
                name: "stream_missing_tag",
                chunks: [first, [1, 2]],
                opened: 1,
                problem: .cutShort(chunks: 1)
            ),
            Case(name: "cut in a chunk", chunks: [first, cut], opened: 1, problem: .lastCutOrChanged(1)),
        ]
    }

    private static func changedCases() throws -> [Case] {
        let (first, second, end) = (try whole(0), try whole(1), try last(2))
        let full = try whole(1, isLast: true)
        let other = [UInt8](repeating: 1, count: 16)
        let foreign = try [0, 1].map {
            try SealedExample.chunk(SealedExample.whole($0), $0, isLast: $0 == 1, nonce: other)
        }
        let only = try SealedExample.chunk([1], 0, isLast: true, nonce: other)
        let third = changed(second, at: 65_540)
        return [
            Case(name: "stream_bad_tag", chunks: [changed(first)], opened: 0, problem: .foreignOrChanged),
            Case(name: "first", chunks: [changed(first), second, end], opened: 0, problem: .changed(0)),
            Case(
                name: "stream_bad_tag_second",
                chunks: [first, third, end],
                opened: 1,
                problem: .changed(1)
            ),
            Case(
                name: "last",
                chunks: [first, changed(try last(1))],
                opened: 1,
                problem: .lastCutOrChanged(1)
            ),
            Case(name: "last and full", chunks: [first, changed(full)], opened: 1, problem: .changed(1)),
            Case(name: "a header of another file", chunks: foreign, opened: 0, problem: .foreignPayload),
            Case(name: "the same, and one chunk", chunks: [only], opened: 0, problem: .foreignOrChanged),
        ]
    }

    private static func movedCases() throws -> [Case] {
        let (first, second, third) = (try whole(0), try whole(1), try whole(2))
        let (end, full) = (try last(2), try whole(0, isLast: true))
        let empty = try SealedExample.chunk([], 1, isLast: true)
        let (toFirst, repeated) = (SealedProblem.moved(chunk: 1, to: 0), SealedProblem.moved(chunk: 0, to: 1))
        let missing = SealedProblem.moved(chunk: 2, to: 1)
        let long = [first, try whole(1, isLast: true), third]
        return [
            Case(name: "stream_last_chunk_empty", chunks: [first, empty], opened: 1, problem: .emptyLast(1)),
            Case(
                name: "stream_two_final",
                chunks: [full, try last(1)],
                opened: 0,
                problem: .extra(after: 0)
            ),
            Case(name: "stream_trailing_garbage_long", chunks: long, opened: 1, problem: .extra(after: 1)),
            Case(
                name: "stream_trailing_garbage_short",
                chunks: [full, [0]],
                opened: 0,
                problem: .extra(after: 0)
            ),
            Case(name: "exchanged chunks", chunks: [second, first, end], opened: 0, problem: toFirst),
            Case(
                name: "a repeated chunk",
                chunks: [first, first, second, end],
                opened: 1,
                problem: repeated
            ),
            Case(name: "a missing chunk", chunks: [first, third, try last(3)], opened: 1, problem: missing),
            Case(name: "a missing one before the last", chunks: [first, end], opened: 1, problem: missing),
        ]
    }

    private func key() throws -> PayloadKey {
        try #require(FileKey(SealedExample.fileKey)).payloadKey(nonce: SealedExample.nonce)
    }

    @Test(arguments: [1_000, 65_552, 65_553, 1_000_000])
    func aPipeTellsWhatHappened(pieces: Int) throws {
        for example in try Self.cases() {
            var opener = StreamOpener(try key())
            var (text, found): ([UInt8], SealedProblem?) = ([], nil)
            do throws(SealedProblem) {
                var rest = example.chunks.flatMap(\.self)[...]
                while !rest.isEmpty {
                    text += try opener.take(rest.prefix(pieces))
                    rest = rest.dropFirst(pieces)
                }
                text += try opener.finish()
            } catch {
                found = error
            }
            #expect(found == example.problem, "\(example.name)")
            let right = (0..<UInt8(example.opened)).flatMap { SealedExample.whole($0) }
            // Only chunks before the one that does not open are given out, and of the end only all of it.
            #expect(found == nil ? text.starts(with: right) : right.starts(with: text), "\(example.name)")
        }
    }

    @Test func aFileTellsWhatHappened() throws {
        for example in try Self.cases() {
            let (opened, problem) = try openedInOrder(example.chunks.flatMap(\.self))
            #expect(problem == example.problem, "\(example.name)")
            #expect(opened <= example.opened || problem == nil, "\(example.name): \(opened)")
        }
    }

    /// Opens the chunks of a file one after another, as a reader at any place does.
    private func openedInOrder(_ payload: [UInt8]) throws -> (chunks: Int, problem: SealedProblem?) {
        let size = Int(ChunkMap.sealedChunkLength)
        let opener = PayloadOpener(try key())
        func sealed(_ chunk: Int) -> ArraySlice<UInt8> { payload.dropFirst(chunk * size).prefix(size) }
        let map: ChunkMap
        do throws(SealedProblem) {
            map = try ChunkMap(sealedLength: Int64(payload.count))
        } catch {
            let whole = payload.count / size
            return (0, opener.problem(ofLength: error, after: whole > 0 ? sealed(whole - 1) : []))
        }
        for chunk in 0..<Int(map.count) {
            do throws(SealedProblem) {
                let text = try opener.open(sealed(chunk), as: Int64(chunk), isLast: chunk == map.last)
                #expect(text.count == map.range(of: Int64(chunk)).count)
            } catch {
                guard map.count > 1 else { return (chunk, error) }
                let other = chunk == 0 ? 1 : 0
                let isOpen = opener.opens(sealed(other), as: Int64(other), isLast: other == map.last)
                return (chunk, error.refined(isOtherOpen: isOpen))
            }
        }
        return (Int(map.count), nil)
    }

    @Test func everyProblemIsSaidInPlainWords() throws {
        let problems = try Self.cases().compactMap(\.problem)
        #expect(Set(problems).count > 10)
        for problem in problems {
            #expect(problem.description.hasSuffix(".") && problem.description.utf8.count < 120, "\(problem)")
        }
    }

    @Test("of a file of one chunk, the message does not speak of chunks")
    func messageAboutAShortFile() {
        let message = "Its content was changed, or its header belongs to another file."
        #expect(SealedProblem.foreignOrChanged.description == message)
    }
}
