import Testing

@testable import FerryCLI

/// With `-v`, a person reads the log of the engine.
@Suite("Lines of the log")
struct LogLineTests {
    static let samples: [(message: String, metadata: [String: String], text: String)] = [
        ("[1] < 200, 6 bytes follow", [:], "[1] < 200, 6 bytes follow"),
        (
            "Nothing more of the answer is needed.",
            ["transfer": "2", "range": "bytes=5-9", "requests": "3"],
            "Transfer 2: Nothing more of the answer is needed. Range: bytes=5-9. Requests: 3."
        ),
        (
            "A part file could not be removed.", ["error": "The disk failed.", "transfer": "12"],
            "Transfer 12: A part file could not be removed. Reason: The disk failed."
        ),
        (
            "A handler has thrown, and is called again.",
            ["transfer": "7", "type": "order", "failures": "2", "error": "OrderError"],
            "Transfer 7: A handler has thrown, and is called again. Failures: 2. Type: order. Reason: OrderError."
        ),
        (
            "Removed old finished transfers.", ["transfers": "3"],
            "Removed old finished transfers. Transfers: 3."
        ),
    ]

    @Test("they are sentences: what it is about, what happened, and why", arguments: samples)
    func areSentences(_ sample: (message: String, metadata: [String: String], text: String)) {
        #expect(ConsoleLogHandler.text(sample.message, sample.metadata) == sample.text)
    }
}
