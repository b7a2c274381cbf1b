import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Values of earlier responses")
struct RequestValuesTests {
    private static let source = TransferUUID(bytes: Array(1...16))

    private static func request(
        _ url: String = "https://api.example/photos",
        body: String = "",
        fields: [HeaderField] = [.init(name: "Content-Type", value: "application/json")],
        names: [String] = ["id", "tag"]
    ) throws -> RequestSpecification {
        var request = try RequestSpecification(
            method: .post,
            url: HTTPURL(parsing: url),
            body: StoredBody(body.utf8)
        )
        request.exchange.headers = fields
        let source = try #require(Self.source)
        for name in names { try request.insert(name, from: source, at: "/\(name)") }
        return request
    }

    private static func message(
        _ request: RequestSpecification,
        _ values: [String: String]
    ) throws -> RequestSpecification {
        try request.message(with: values.mapValues { .json($0) })
    }

    private static func text(_ request: RequestSpecification) -> String {
        String(decoding: request.body.bytes, as: UTF8.self)
    }

    /// Each is put in so that it stays one part of the URL.
    @Test(arguments: [
        (#""a b/c?d#e&f=g%""#, "a%20b%2Fc%3Fd%23e%26f%3Dg%25"),
        ("9223372036854775808", "9223372036854775808"),
        ("1.10", "1.10"), ("-0.0e+5", "-0.0e%2B5"), ("true", "true"), (#""\u00e9\u0000\n""#, "%C3%A9%00%0A"),
        (#""{tag}""#, "%7Btag%7D"), (#""..\u002f..""#, "..%2F.."),
    ])
    func aURLGetsThemEncoded(value: String, expected: String) throws {
        let request = try Self.request("https://api.example/photos/{id}/x{id}?q={id}&{none}={id}#{id}")
        let url = try Self.message(request, ["id": value, "tag": "1"]).url
        #expect(url.path == "/photos/\(expected)/x\(expected)")
        #expect(url.query == "q=\(expected)&%7Bnone%7D=\(expected)")
        #expect(url.fragment == "%7Bid%7D" && url.origin == request.url.origin)
    }

    /// What a server chose must not lead to another place than the URL shows.
    @Test(arguments: [
        (#""""#, "{id}"), (#""""#, "a/{id}/b"), (#""""#, "{id}{id}"), (#"".""#, "{id}/x"),
        (#""..""#, "a/{id}/b"),
        (#"".""#, "{id}{id}"), (#"".""#, "%2E{id}"), (#""..""#, "{id}"),
    ])
    func aValueDoesNotLeaveItsPartOfThePath(value: String, path: String) throws {
        let request = try Self.request("https://api.example/\(path)")
        let failure = #expect(throws: TransferFailure.self) {
            try Self.message(request, ["id": value, "tag": "1"])
        }
        #expect(failure?.code == .valueMissing)
        let query = try Self.request("https://api.example/?a={id}")
        _ = try Self.message(query, ["id": value, "tag": "1"])
    }

    @Test func fieldsGetThemAsText() throws {
        let request = try Self.request(fields: [
            .init(name: "Authorization", value: "Bearer {id}"), .init(name: "If-Match", value: "{tag}"),
            .init(name: "X-Other", value: "{ id } {other} {id"),
        ])
        let sent = try Self.message(request, ["id": #""s3cret""#, "tag": #""\"v1\"""#])
        #expect(
            sent.exchange.headers.map(\.value) == ["Bearer s3cret", "\"v1\"", "{ id } {other} {id"]
        )
        for hostile in [#""a\r\nX-Evil: 1""#, #""\u0000""#, #""\n""#, #""\u007f""#] {
            let failure = #expect(throws: TransferFailure.self) {
                try Self.message(request, ["id": hostile, "tag": "1"])
            }
            #expect(failure?.code == .valueMissing)
        }
    }

    /// A string that is exactly the name becomes the value itself. All else stays byte for byte.
    @Test func aJSONBodyGetsValuesOrText() throws {
        let body =
            #"{ "{id}": "{id}", "n": [1.10, "{tag}", "no. {tag}!", "{\u0069d}", "{x}"], "e": "\u00e9 { }" }"#
        let sent = try Self.message(
            Self.request(body: body),
            ["id": #"{"a": [9223372036854775808]}"#, "tag": "1.10"]
        )
        #expect(
            Self.text(sent)
                == #"{ "{id}": {"a": [9223372036854775808]}, "n": [1.10, 1.10, "no. 1.10!", {"a": [9223372036854775808]}, "{x}"], "e": "\u00e9 { }" }"#
        )
        let quoted = try Self.message(
            Self.request(body: #"["a {id}", "{id}", "{tag}"]"#),
            ["id": #""\"\\\u0001""#, "tag": "null"]
        )
        #expect(Self.text(quoted) == #"["a \"\\\u0001", "\"\\\u0001", null]"#)
    }

    @Test(arguments: ["null", "[1]", "{}", #""\ud800""#])
    func whatHasNoTextIsRefusedWhereTextIsNeeded(value: String) throws {
        for request in [
            try Self.request("https://api.example/{id}"), try Self.request(body: #"["a {id}"]"#),
            try Self.request(fields: [.init(name: "X-A", value: "{id}")]),
        ] {
            let failure = #expect(throws: TransferFailure.self) {
                try Self.message(request, ["id": value, "tag": "1"])
            }
            #expect(failure?.code == .valueMissing)
        }
    }

    /// Only JSON has strings whose end is known.
    @Test func anyOtherBodyStaysAsItIs() throws {
        let text = "id={id}"
        let request = try Self.request(
            body: text,
            fields: [.init(name: "Content-Type", value: "text/plain"), .init(name: "X-A", value: "{id}")]
        )
        #expect(Self.text(try Self.message(request, ["id": "1", "tag": "1"])) == text)
        let (hasID, hasTag) = (try request.mentions("id"), try request.mentions("tag"))
        #expect(hasID && !hasTag)
        let wrong = try Self.request(body: "{")
        #expect(throws: TransferFailure.self) { try Self.message(wrong, ["id": "1", "tag": "1"]) }
        let bare = try Self.request(body: text, fields: [])
        let isNamed = try bare.mentions("id")
        #expect(!isNamed)
        #expect(throws: TransferFailure.self) { try wrong.mentions("id") }
    }

    @Test func aMessageThatBecomesTooLongIsNotSent() throws {
        let request = try Self.request(body: #"["{id}"]"#)
        let long = "\"\(String(repeating: "a", count: RequestSpecification.longestBody))\""
        #expect(throws: TransferFailure.self) { try Self.message(request, ["id": long, "tag": "1"]) }
        let inURL = try Self.request("https://api.example/{id}")
        #expect(throws: TransferFailure.self) {
            try Self.message(
                inURL,
                ["id": "\"\(String(repeating: "a", count: HTTPURL.lengthLimit))\"", "tag": "1"]
            )
        }
    }

    /// Many places with a long value are refused before they are all filled.
    @Test func manyPlacesForALongValueAreRefused() throws {
        let long = "\"\(String(repeating: "a", count: 60_000))\""
        let places = (0..<20).map { _ in #""{id}""# }.joined(separator: ",")
        let fields = [HeaderField(name: "A", value: "{id}{id}")]
        for request in [
            try Self.request(body: "[\(places)]"), try Self.request("https://api.example/{id}/{id}"),
            try Self.request(fields: fields),
        ] {
            let failure = #expect(throws: TransferFailure.self) {
                try Self.message(request, ["id": long, "tag": "1"])
            }
            #expect(failure?.code == .valueMissing && failure?.message.contains("too long") == true)
        }
    }

    @Test func aRequestWithoutAllItsValuesHasNoMessage() throws {
        let request = try Self.request("https://api.example/{id}")
        #expect(throws: TransferFailure(.valueMissing, "No value was taken for 'tag'.")) {
            try Self.message(request, ["id": "1"])
        }
        let reason = "It is not there."
        #expect(throws: TransferFailure(.valueMissing, reason)) {
            try request.message(with: ["id": .json("1"), "tag": .missing(reason)])
        }
    }

    @Test(arguments: ["", "a b", "a=b", "{a}", "é", "a/b", String(repeating: "a", count: 65)])
    func namesOfValuesAreLetters(name: String) throws {
        var request = try Self.request(names: [])
        let source = try #require(Self.source)
        #expect(throws: RequestSpecification.Flaw.valueName(name)) {
            try request.insert(name, from: source, at: "/a")
        }
        #expect(throws: RequestSpecification.Flaw.pointer("a")) {
            try request.insert("a", from: source, at: "a")
        }
        #expect(throws: RequestSpecification.Flaw.fieldName("a b")) {
            try request.insert("a", from: source, field: "a b")
        }
        #expect(request.values.isEmpty)
    }

    // MARK: Taking

    private func taken(
        _ pointer: String?,
        from response: StoredResponse?
    ) throws -> TakenValue? {
        let new = NewTransfer(try RequestSpecification(url: HTTPURL(parsing: "https://api.example/")))
        var source = Transfer(id: TransferID(rawValue: 7), adding: new, at: Instant(seconds: 1))
        var progress = RequestProgress()
        progress.response = response
        source.work.progress = .request(progress)
        var request = try Self.request(names: [])
        if let pointer {
            try request.insert("v", from: source.uuid, at: pointer)
        } else {
            try request.insert("v", from: source.uuid, field: "etag")
        }
        return try Self.taken(by: request, from: source)["v"]
    }

    /// What a request takes when its source has completed.
    private static func taken(
        by request: RequestSpecification,
        from source: Transfer
    ) throws -> [String: TakenValue] {
        var taker = Transfer(
            id: TransferID(rawValue: 8),
            adding: NewTransfer(request),
            at: Instant(seconds: 1)
        )
        taker.work.take(source.values(for: [taker]))
        return try #require(taker.request?.progress.values)
    }

    private func response(_ body: String, isTruncated: Bool = false) -> StoredResponse {
        StoredResponse(
            status: 200,
            fields: [.init(name: "ETag", value: "\"a\\\""), .init(name: "eTaG", value: "b")],
            body: Array(body.utf8),
            isTruncated: isTruncated
        )
    }

    @Test func aValueIsTakenAsItIsWritten() throws {
        let body = response(" \n{\"a\": [9223372036854775808, 1.10]}\t")
        #expect(try taken("/a/0", from: body) == .json("9223372036854775808"))
        #expect(try taken("/a/1", from: body) == .json("1.10"))
        #expect(try taken("", from: body) == .json("{\"a\": [9223372036854775808, 1.10]}"))
        #expect(try taken(nil, from: body) == .json(#""\"a\\\", b""#))
        #expect(try taken(nil, from: response("", isTruncated: true)) == .json(#""\"a\\\", b""#))
    }

    @Test func whatCannotBeTakenSaysWhy() throws {
        let long = "\"\(String(repeating: "a", count: 64 << 10))\""
        let bare = StoredResponse(status: 200, fields: [], body: [])
        for (pointer, response) in [
            ("/a", nil), ("/a", response("{}")), ("/a", response("")), ("/a", response("<html>")),
            ("/a", response(#"{"a": 1}"#, isTruncated: true)), ("", response(long)), (nil, bare),
        ] as [(String?, StoredResponse?)] {
            guard case .missing(let reason)? = try taken(pointer, from: response) else {
                Issue.record("\(pointer ?? "a field") was taken")
                continue
            }
            #expect(reason.contains("transfer 7") || reason.contains("Transfer 7"))
        }
    }

    /// A saved body is not in the store, and what the wire has replaced is lost.
    @Test func whatTheStoreDoesNotHaveIsNotGuessed() throws {
        var saved = response("")
        saved.savedLength = 8
        #expect(
            try taken("/a", from: saved)
                == .missing(
                    "The body of the response of transfer 7 was saved in a file, so no value is taken from it."
                )
        )
        let odd = StoredResponse(status: 200, fields: [.init(name: "ETag", value: "caf\u{FFFD}")], body: [])
        #expect(
            try taken(nil, from: odd)
                == .missing(
                    "The field etag of the response of transfer 7 is not UTF-8, so no value is taken from it."
                )
        )
    }

    /// One reading of the response finds all values for many requests, each as if it were looked for alone.
    @Test func manyValuesOfALongResponseAreTakenTogether() throws {
        let elements = (0..<100_000).map { "[\($0),1.10]" }
        let body = #"{"all":[\#(elements.joined(separator: ","))],"end":"x"}"#
        #expect(body.utf8.count > 1 << 20)
        var source = Transfer(
            id: TransferID(rawValue: 7),
            adding: NewTransfer(try RequestSpecification(url: HTTPURL(parsing: "https://api.example/"))),
            at: Instant(seconds: 1)
        )
        var progress = RequestProgress()
        progress.response = response(body)
        source.work.progress = .request(progress)
        var takers: [Transfer] = []
        for number in 0..<2 {
            var request = try Self.request(names: [])
            for value in 0..<50 {
                try request.insert("v\(value)", from: source.uuid, at: "/all/\(value * 2_000 + number)/0")
            }
            try request.insert("end", from: source.uuid, at: "/end")
            try request.insert("all", from: source.uuid, at: "/all")
            let new = NewTransfer(request)
            takers.append(Transfer(id: TransferID(rawValue: 8), adding: new, at: Instant(seconds: 1)))
        }
        let values = source.values(for: takers)
        for (number, var taker) in takers.enumerated() {
            taker.work.take(values)
            let taken = try #require(taker.request?.progress.values)
            for value in 0..<50 { #expect(taken["v\(value)"] == .json("\(value * 2_000 + number)")) }
            #expect(taken["end"] == .json(#""x""#))
            guard case .missing(let reason)? = taken["all"] else { return #expect(Bool(false), "too long") }
            #expect(reason.contains("may have up to 65536"))
        }
    }

    /// What was taken once stays, so that every attempt sends the same.
    @Test func aValueIsTakenOnce() throws {
        let new = NewTransfer(try RequestSpecification(url: HTTPURL(parsing: "https://api.example/")))
        var source = Transfer(id: TransferID(rawValue: 7), adding: new, at: Instant(seconds: 1))
        var request = try Self.request(names: [])
        try request.insert("v", from: source.uuid, at: "/a")
        var taker = Transfer(
            id: TransferID(rawValue: 8),
            adding: NewTransfer(request),
            at: Instant(seconds: 1)
        )
        for number in 1...2 {
            var progress = RequestProgress()
            progress.response = response("{\"a\": \(number)}")
            source.work.progress = .request(progress)
            taker.work.take(source.values(for: [taker]))
        }
        var work = try #require(taker.request)
        #expect(work.progress.values == ["v": .json("1")])
        work.progress.sent = Instant(seconds: 2)
        let isResolved = work.resolve(.notArrived)
        #expect(isResolved)
        #expect(work.progress.values == ["v": .json("1")] && work.progress.sent == nil)
        work.dropSecrets()
        #expect(work.progress.values == nil && !work.specification.values.isEmpty)
    }

    @Test func theChecksumCoversThem() throws {
        let source = try #require(Self.source)
        var checksums: Set<UInt8> = []
        for pointer in ["/id", "/ID", "/tag"] {
            var request = try Self.request("https://api.example/{id}", names: [])
            try request.insert("id", from: source, at: pointer)
            checksums.insert(try #require(NewTransfer(request).work.request?.specification.addedChecksum))
        }
        #expect(checksums.count == 3)
    }
}
