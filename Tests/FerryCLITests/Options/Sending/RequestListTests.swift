import Ferry
import FerryCore
import Foundation
import Glibc
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What a list of `ferry send -i` asks for.
@Suite struct RequestListTests {
    private static let line = #"{"method":"POST","url":"https://api.example/orders""#

    private func list(_ text: String, _ defaults: SendInput = SendInput()) throws -> RequestList {
        try Sample.withFile(text) { try RequestList($0, defaults, Sample.environment) }
    }

    private func plans(_ text: String, _ defaults: SendInput = SendInput()) throws -> [RequestPlan] {
        let list = try list(text, defaults)
        let count = try list.check()
        var plans: [RequestPlan] = []
        while let plan = try list.next() { plans.append(plan) }
        #expect(plans.count == count)
        return plans
    }

    private func transfer(_ members: String, _ defaults: SendInput = SendInput()) async throws -> NewTransfer
    {
        let plan = try #require(try plans("\(Self.line),\(members)}\n", defaults).first)
        return try await plan.transfer(RequestPlanTests.preparation)
    }

    /// Lines refer to others by ID, or by UUID, also to earlier lines.
    @Test func aLineTakesValuesOfEarlierOnes() async throws {
        let uuid = "01890a5d-ac96-774b-bcce-b302099a8057"
        let new = try await transfer(
            #""json":{"a":"{id}","b":"{etag}"},"after":[7,"\#(uuid)"],"values":{"id":"\#(uuid):/id","etag":"7:ETag"}"#
        )
        #expect(new.after.map(\.rawValue) == [7] && new.afterUUIDs.map { "\($0)" } == [uuid])
        let values = try #require(new.work.request).specification.values
        #expect(values["id"].map { "\($0)" } == "\(uuid):/id")
        #expect(values["etag"]?.source == (try RequestPlanTests.uuid(of: TransferID(rawValue: 7))))
        for wrong in [
            #""json":"{id}","values":{"id":7}"#, #""json":"{id}","values":["7:/id"]"#,
            #""values":{"id":"7:/id"}"#,
            #""json":"{id}","values":{"id=7:/a":"7:/id"}"#, #""after":["x"]"#, #""after":"\#(uuid)""#,
        ] {
            #expect(throws: CommandFailure.self) { try plans("\(Self.line),\(wrong)}\n") }
        }
    }

    @Test func everyMemberReachesTheTransfer() async throws {
        let new = try await transfer(
            #"""
            "headers":{"X-A":"1","X-B":["2","\u00e9"]},"json":{"a": 1.0, "b":[9007199254740993]},
            "key":"k","success":[404,409],"retries":3,"responseLimit":2048,"queue":"orders","priority":-4,
            "after":[7,8],"tag":"order 5","uuid":"01890a5d-ac96-774b-bcce-b302099a8057","window":"22:00-06:00",
            "type":"order.placed","notAfter":"2999-01-31T09:00:00Z"
            """#.replacing("\n", with: "")
        )
        let request = try #require(new.work.request).specification
        #expect(new.queue == "orders" && new.priority == -4 && new.tag?.text == "order 5")
        #expect(new.after.map(\.rawValue) == [7, 8])
        #expect(new.uuid == TransferUUID("01890a5d-ac96-774b-bcce-b302099a8057"))
        #expect(request.method == .post && request.key?.value == "\"k\"" && request.retries == 3)
        #expect(request.acceptedStatuses == [404, 409] && request.responseLimit == 2048)
        #expect(request.terms.window != .always && new.type?.text == "order.placed")
        #expect(request.notAfter == Instant(timestamp: "2999-01-31T09:00:00Z"))
        // Numbers are sent as they are written.
        #expect(String(decoding: request.body.bytes, as: UTF8.self) == #"{"a": 1.0, "b":[9007199254740993]}"#)
        #expect(
            request.exchange.headers.map { "\($0.name): \($0.value)" } == [
                "X-A: 1", "X-B: 2", "X-B: é", "Content-Type: application/json", "Accept: application/json",
            ]
        )
    }

    @Test(
        "a misspelled member is answered with the one that is like it",
        arguments: [
            ("jsn", #"Did you mean "json"?"#), ("header", #"Did you mean "headers"?"#),
            ("responselimt", #"Did you mean "responseLimit"?"#), ("path", "The manual lists the members."),
        ]
    )
    func misspelled(name: String, hint: String) throws {
        let failure = try #require(throws: CommandFailure.self) {
            try plans("\(Self.line),\"\(name)\":\"a\"}\n")
        }
        #expect(failure.hint?.hasPrefix(hint) == true, "\(failure)")
    }

    @Test("every name that may be suggested is a member", arguments: RequestLine.memberNames)
    func suggested(name: String) throws {
        let failure = try #require(throws: CommandFailure.self) { try plans("{\"\(name)\":[[]]}\n") }
        #expect(!failure.message.contains("has no member"), "\(failure)")
    }

    @Test("a text is sent as it is, with every escape of JSON")
    func escapes() async throws {
        let new = try await transfer(#""data":"a\"\\\/\b\f\n\r\t\u0041\ud83d\ude00é😀@""#)
        let body = try #require(new.work.request).specification.body
        #expect(String(decoding: body.bytes, as: UTF8.self) == "a\"\\/\u{8}\u{C}\n\r\tA😀é😀@")
    }

    @Test func aFormAndNoKey() async throws {
        let new = try await transfer(#""form":{"a":"1 2","b":"&"},"key":null"#)
        let request = try #require(new.work.request).specification
        #expect(request.key == nil && String(decoding: request.body.bytes, as: UTF8.self) == "a=1+2&b=%26")
    }

    @Test("the command line is the default for each line, and blank lines do not count")
    func defaults() throws {
        var input = SendInput()
        input.request.header = ["X-All: 1"]
        input.placement.queue = "bulk"
        let text = "\n  \r\n\(Self.line)}\r\n\(Self.line),\"headers\":{\"X-One\":\"2\"}}"
        let plans = try plans(text, input)
        #expect(plans.map { $0.request.exchange.headers.map(\.name) } == [["X-All"], ["X-All", "X-One"]])
    }

    @Test("each request that has no UUID in the list gets one of its own")
    func names() throws {
        let keys = try plans("\(Self.line)}\n\(Self.line)}\n").compactMap(\.request.key?.value)
        #expect(Set(keys).count == 2 && !keys.contains { $0.contains("\(TransferUUID.none)") })
    }

    @Test("passwords are read once for all lines, so that they may come from a pipe")
    func passwordsOfAPipe() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = Array("machine api.example login me password pw\n".utf8)
        try #require(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        var input = SendInput()
        input.request.netrcFile = "/dev/fd/\(ends[0])"
        let plans = try plans("\(Self.line)}\n\(Self.line)}\n", input)
        let me = Credentials.basic(user: "me", password: "pw")
        #expect(plans.map(\.request.exchange.credentials) == [me, me])
    }

    @Test("a file of passwords that is not used is told for the list")
    func unusedPasswords() throws {
        let home = NSTemporaryDirectory() + "ferry-home-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: home) } }
        let passwords = "machine api.example login me password pw\n"
        for (name, text) in [(".netrc", passwords), ("list", "\(Self.line)}")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/\(name)"))
            try #require(chmod("\(home)/\(name)", 0o644) == 0)
        }
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: home)
        let list = try RequestList("\(home)/list", SendInput(), environment)
        #expect(list.warnings.count == 1 && list.warnings[0].contains(".netrc"))
        #expect(try list.next()?.request.exchange.credentials == nil)
    }

    @Test(
        "a wrong line is named, and nothing of the list is used",
        arguments: [
            "x", "[]", "{}", #"{"method":"POST"}"#, #"{"url":"https://a.example/"}"#, line,
            line + #","x":1}"#,
            line + #","method":"PUT"}"#, line + #","data":1}"#, line + #","data":"a","json":1}"#,
            line + #","data":"\ud83d"}"#, line + #","retries":"3"}"#, line + #","retries":1.5}"#,
            line + #","success":[200]}"#, line + #","success":404}"#, line + #","after":["1"]}"#,
            line + #","headers":[]}"#, line + #","headers":{"A":1}}"#, line + #","headers":{"A B":"1"}}"#,
            line + #","headers":{"A":"1\r\nB: 2"}}"#, line + #","form":{"":"1"}}"#, line + #","uuid":"1"}"#,
            line + #","tag":""}"#, line + #","key":1}"#, line + #","key":""}"#, line + "}}", line + "},",
            #"{"method":"P OST","url":"https://a.example/"}"#, #"{"method":"POST","url":"a.example"}"#,
            line + "}\u{0}", line + #","json":tru}"#, line + #","file":""}"#,
        ]
    )
    func wrongLines(_ text: String) throws {
        let list = try list("\(Self.line)}\n\n\(text)\n\(Self.line)}\n")
        do {
            _ = try list.check()
            Issue.record("accepted: \(text)")
        } catch {
            #expect(error.status == .usage && error.message.contains("line 3: "), "\(error)")
        }
    }

    @Test("an error of the store names the line whose UUID or ID it is about")
    func linesOfStoreErrors() throws {
        let (uuid, other) = ("01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8058")
        let plans = try plans(
            """
            \(Self.line),"uuid":"\(uuid)"}
            \(Self.line),"uuid":"\(uuid)","data":"x"}

            \(Self.line),"after":["\(other)",7]}
            \(Self.line),"json":"{id}","values":{"id":"8:/id"}}
            """
        )
        let name = try #require(TransferUUID(uuid))
        let cases: [(StoreError, String?)] = [
            (.otherTransferNamed(name, TransferID(rawValue: 1)), "line 2: "),
            (.noTransferNamed(try #require(TransferUUID(other))), "line 4: "),
            (.noSuchTransfer(TransferID(rawValue: 7)), "line 4: "),
            (.notPossible(TransferID(rawValue: 8), "It was cancelled."), "line 5: "),
            (.noSuchTransfer(TransferID(rawValue: 9)), nil), (.claimLost(TransferID(rawValue: 7)), nil),
        ]
        for (error, place) in cases {
            let failure = CommandFailure(RequestPlan.located(error, among: plans))
            #expect(failure.status == ExitStatus(error))
            #expect(failure.message.hasSuffix(error.description))
            if let place { #expect(failure.message.contains(place)) }
            #expect((failure.message == error.description) == (place == nil))
        }
    }

    @Test("a method beside a list is refused")
    func methodForAll() {
        var input = SendInput()
        input.method = "POST"
        let failure = #expect(throws: CommandFailure.self) { try list("", input) }
        #expect(failure?.message.contains("POST") == true)
    }

    @Test func aMissingFileIsNamedWithItsLine() throws {
        let list = try list(Self.line + #","file":"/nowhere"}"#)
        let failure = #expect(throws: CommandFailure.self) { try list.check() }
        #expect(failure?.status == .cannotOpen && failure?.message.contains("line 1: ") == true)
    }

    @Test("every wrong line is named, and that nothing was sent")
    func everyWrongLine() throws {
        let list = try list("x\n\(Self.line)}\n" + Self.line + #","file":"/nowhere"}"#)
        let failure = #expect(throws: CommandFailure.self) { try list.check() }
        #expect(failure?.message.contains("line 1: ") == true && failure?.further.count == 1)
        #expect(failure?.further.first?.contains("line 3: ") == true, "\(String(describing: failure))")
        #expect(failure?.hint?.hasSuffix("Nothing was sent.") == true, "\(String(describing: failure))")
    }

    @Test("a body given for all lines is refused")
    func bodyForAll() {
        var input = SendInput()
        input.data = "x"
        #expect(throws: CommandFailure.self) { try list("", input) }
    }

    @Test("a line without end is refused without being kept")
    func endlessLine() throws {
        let list = try list(String(repeating: " ", count: RequestList.longestLine + (2 << 20)))
        #expect(throws: CommandFailure.self) { try list.check() }
    }
}
