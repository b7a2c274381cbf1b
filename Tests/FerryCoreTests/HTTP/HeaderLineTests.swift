import FerryCore
import HTTPTypes
import Testing

struct HeaderLineTests {
    @Test(arguments: [
        ("X-A: b", "X-A", "b"), ("X-A:b", "X-A", "b"), ("X-A: \t b c \t", "X-A", "b c"), ("X-A:", "X-A", ""),
        ("X-A: a:b", "X-A", "a:b"), ("X-A: ü\tx", "X-A", "ü\tx"),
        ("Authorization: Bearer x", "Authorization", "Bearer x"),
    ])
    func reads(text: String, name: String, value: String) throws {
        let line = try HeaderLine(parsing: text)
        #expect(line.name.rawName == name)
        #expect(line.value == value)
    }

    @Test(arguments: [
        ("", HeaderLine.ParseError.missingColon), ("geheim", .missingColon), (": geheim", .invalidName),
        (" X: geheim", .invalidName), ("X : geheim", .invalidName), ("X\r\nY: geheim", .invalidName),
        ("ü: geheim", .invalidName), (":path: geheim", .invalidName),
        ("X: geheim\r\nY: z", .controlCharacter(name: "X")),
        ("X: geheim\n", .controlCharacter(name: "X")), ("X: geheim\0", .controlCharacter(name: "X")),
        ("X: \u{7F}geheim", .controlCharacter(name: "X")),
    ])
    func refusesWithoutShowingTheValue(text: String, reason: HeaderLine.ParseError) {
        #expect(throws: reason) { try HeaderLine(parsing: text) }
        #expect(!reason.description.contains("geheim"))
    }

    @Test func showsNoValue() throws {
        let line = try HeaderLine(parsing: "Authorization: geheim")
        var dumped = ""
        dump(line, to: &dumped)
        #expect(!"\(line) \(String(reflecting: line)) \(dumped)".contains("geheim"))
    }

    @Test(arguments: [
        "Range: bytes=0-1", "IF-RANGE: x", "If-None-Match: *", "content-length: 5", "Connection: close",
    ])
    func refusesForRequestsWhatFerrySendsItself(text: String) throws {
        let line = try HeaderLine(parsing: text)
        #expect(throws: HeaderLine.ParseError.ownField(name: line.name.rawName)) {
            try HeaderLine(forRequests: text)
        }
    }

    @Test(arguments: ["Accept: */*", "Host: other.example", "Cookie: a=b", "X-Range: 1"])
    func takesForRequestsWhatElseAPersonMayWant(text: String) throws {
        #expect(try HeaderLine(forRequests: text) == HeaderLine(parsing: text))
    }

    @Test("an empty value, with which curl removes a field, is not sent", arguments: ["Accept:", "X-A: \t "])
    func anEmptyValueIsRefused(text: String) throws {
        let reason = HeaderLine.ParseError.noValue(name: try HeaderLine(parsing: text).name.rawName)
        #expect(throws: reason) { try HeaderLine(forRequests: text) }
        #expect(throws: reason) { try HeaderLine(forWholeRequests: text) }
    }

    @Test func aRequestThatAPersonWordsMayHaveConditionsButNoFraming() throws {
        for text in ["If-Match: \"a\"", "Range: bytes=0-1"] {
            #expect(try HeaderLine(forWholeRequests: text) == HeaderLine(parsing: text))
        }
        for name in ["Content-Length", "transfer-encoding", "Connection", "Expect"] {
            #expect(throws: HeaderLine.ParseError.framing(name: name)) {
                try HeaderLine(forWholeRequests: "\(name): 5")
            }
        }
    }
}
