import Foundation

/// The requests of a ``CrashFlow`` that sends some, and what their server knows of them.
extension CrashRun {
    /// A path that the server resets once before it answers.
    static let lost = "lost"

    /// The answer to each request.
    static let answer = "stored"

    /// The body of each request without a file.
    static let text = "item=17"

    /// Receives a request and answers it.
    static func take(
        _ request: ScriptedRequest,
        from connection: ScriptedConnection,
        into inbox: RequestInbox
    ) -> ScriptedServer.Ending {
        guard let body = connection.askForBody(of: request) else { return .closes }
        inbox.take(request, body)
        if request.path == "/\(lost)", request.ordinal == 1 { return .resets }
        let reply = ScriptedReply(status: 201, body: Array(answer.utf8))
        return connection.write(reply, to: request) ? .stays : .closes
    }

    /// How often a request has arrived whole.
    func arrivals(of name: String) -> Int { inbox.all.count { $0.request.path == "/\(name)" } }

    /// Adds a request for a later command.
    func addRequest(_ words: [String]) async throws {
        acknowledge(try await ferry(["send", "POST"] + words + ["--data", Self.text]))
    }

    /// Sends what is left, as a user would: retries a request that has failed for another reason than an unknown outcome, and
    /// lets `ferry run` send it.
    ///
    /// - Returns: the request in the end; `nil` if it was never recorded.
    func sendsTheRest() async throws -> ListedRequest? {
        if let request = try await sandbox.requests().last {
            if request.state == "failed", !request.isUnknown { try await ferry(["retry", "\(request.id)"]) }
            if request.state == "paused" { try await ferry(["resume", "\(request.id)"], expecting: [0, 1]) }
        }
        // The transfers that do not belong to the flow are left paused. The first process may meet the unknown outcome.
        try await ferry(["run"], expecting: [1, 7, 33])
        return try await sandbox.requests().last
    }

    /// Expects that a request is completed with the whole answer, and arrived at least once, or once without a key.
    func expectCompleted(
        _ request: ListedRequest?,
        _ name: String,
        body: [UInt8] = Array(text.utf8)
    )
        async throws
    {
        let received = inbox.all.filter { $0.request.path == "/\(name)" }
        let said = "\(String(describing: request)), after \(received.count) arrivals"
        guard let request, request.state == "completed" else { return check(false, "not completed: \(said)") }
        check(request.status == 201 && !received.isEmpty, "completed without an answer: \(said)")
        let shown = try await ferry(["show", "--body", "\(request.id)"])
        check(shown.output == Self.answer, "the response is not whole: \(shown.output)")
        check(received.allSatisfy { $0.bytes == body }, "another body has arrived: \(said)")
        let keys = Set(received.map { $0.request["idempotency-key"] ?? "" })
        check(keys.count == 1, "it came with several keys: \(keys)")
    }

    /// Expects of a request without a key that it has arrived once and is completed, or that its outcome is unknown. Then says
    /// what the server knows, and expects that it has arrived once in the end.
    func expectOnce(_ name: String) async throws {
        guard var request = try await sendsTheRest() else {
            return check(arrivals(of: name) == 0, "it has arrived and is not in the list")
        }
        let count = arrivals(of: name)
        check(count <= 1, "without a key it has arrived \(count) times")
        check(
            request.isUnknown || request.state == "completed" && count == 1,
            "\(count) arrivals: \(request)"
        )
        if request.isUnknown {
            try await ferry(["resolve", "\(request.id)", count == 1 ? "--sent" : "--not-sent"])
            request = try await sendsTheRest() ?? request
            check(request.state == "completed", "resolved, and \(request)")
        }
        check(arrivals(of: name) == 1, "in the end it has arrived \(arrivals(of: name)) times")
    }
}
