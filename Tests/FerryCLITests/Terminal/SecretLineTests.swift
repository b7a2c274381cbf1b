import Testing

@testable import FerryCLI

/// A line is typed without being shown, and can be corrected.
struct SecretLineTests {
    private func effect(_ keys: [UInt8]) -> SecretLine.Effect {
        var line = SecretLine()
        for key in keys.dropLast() { _ = line.take(key) }
        return line.take(keys.last ?? 0)
    }

    @Test func aLineEndsWithEnter() {
        #expect(effect(Array("horse\n".utf8)) == .isDone(Array("horse".utf8)))
        #expect(effect(Array("horse\r".utf8)) == .isDone(Array("horse".utf8)))
        #expect(effect(Array("horse".utf8)) == .goesOn)
        #expect(effect([0x0A]) == .isDone([]))
    }

    @Test func aWholeCharacterIsTakenBack() {
        #expect(effect(Array("aé".utf8) + [0x7F, 0x0A]) == .isDone(Array("a".utf8)))
        #expect(effect(Array("a€b".utf8) + [0x08, 0x08, 0x0A]) == .isDone(Array("a".utf8)))
        #expect(effect([0x7F, 0x61, 0x0A]) == .isDone([0x61]))
        #expect(effect(Array("wrong".utf8) + [0x15, 0x61, 0x0A]) == .isDone([0x61]))
    }

    @Test func aPersonCanDeclineToAnswer() {
        #expect(effect(Array("hor".utf8) + [0x03]) == .isCancelled)
        #expect(effect([0x04]) == .isCancelled)
        #expect(effect(Array("horse".utf8) + [0x04]) == .isDone(Array("horse".utf8)))
    }
}
