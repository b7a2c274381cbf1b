/// What must hold for the requests of a flow after a power cut.
///
/// A request departs when the command begins to write it. From then on it may have arrived, so it must be in the list as sent,
/// and without a key it must never be sent again.
struct RequestReplay {
    let replayer: Replayer
    let cut: Int

    private var flow: Flow { replayer.flow }
    private var recording: Recording { replayer.recording }

    /// How often a person had said before the cut, or was about to say, that a request did not arrive.
    private var permits: Int {
        let begins = [0] + recording.ends.dropLast()
        return zip(flow.steps, begins).count { $0.0.arguments.contains("--not-sent") && $0.1 < cut }
    }

    /// Whether a request may have arrived, by all that is known before the cut, and must not be sent again.
    private func isUntouchable(_ request: Flow.Outgoing) -> Bool {
        !request.isRepeatable && recording.departures(to: request.path, before: cut) > permits
    }

    private func row(of request: Flow.Outgoing, in rows: [ListedRequest]) -> ListedRequest? {
        rows.first { "/\($0.name)" == request.path }
    }

    /// What is wrong in the list that the power cut left.
    func violations(in rows: [ListedRequest]) async throws -> [String] {
        var wrong: [String] = []
        for request in flow.requests {
            let found = row(of: request, in: rows)
            if found == nil, recording.departures(to: request.path, before: cut) > 0 {
                wrong.append("I3: \(request.path) has left and is lost")
            }
            if let found { wrong += try await completionViolations(of: found) }
        }
        for step in replayer.ended(cut) {
            switch step.promise {
            case .answered(let paths):
                for request in flow.requests where paths.contains(request.path) {
                    let state = row(of: request, in: rows)?.state
                    if state != "completed" {
                        wrong.append("I8: \(request.path) was answered: \(state ?? "lost")")
                    }
                }
            case .unknown(let paths) where permits == 0:
                for request in flow.requests where paths.contains(request.path) {
                    guard let found = row(of: request, in: rows), found.isUnknown else {
                        wrong.append("I8: \(request.path) is no longer unknown: \(rows)")
                        continue
                    }
                }
            case .added, .published, .saved, .pinned, .kept, .nothing, .unknown, .uploaded: break
            }
        }
        return wrong
    }

    /// What is wrong after recovery.
    ///
    /// - Parameters:
    ///   - former: the list that the power cut left.
    ///   - received: the requests that recovery sent.
    func violations(
        in rows: [ListedRequest],
        formerly former: [ListedRequest],
        after received: ArraySlice<RequestInbox.Received>
    ) async throws -> [String] {
        var wrong: [String] = []
        for request in flow.requests {
            let arrivals = received.filter { $0.request.path == request.path }
            let former = row(of: request, in: former)
            if former?.state == "completed", !arrivals.isEmpty {
                wrong.append("I8: \(request.path) was completed, and was sent again")
            }
            if former?.isUnknown == true, !arrivals.isEmpty {
                wrong.append("I8: \(request.path) had an unknown outcome, and was sent again")
            }
            if isUntouchable(request), !arrivals.isEmpty {
                wrong.append("I8: \(request.path) may have arrived, and was sent again")
            }
            if !request.isRepeatable, arrivals.count > 1 {
                wrong.append("I8: \(request.path) was sent twice")
            }
            if arrivals.contains(where: { $0.bytes != Array(request.body.bytes) }) {
                wrong.append("\(request.path) was sent with another body")
            }
            guard let found = row(of: request, in: rows) else { continue }
            wrong += try await completionViolations(of: found)
            let isHonest = found.state == "completed" || !request.isRepeatable && found.isUnknown
            if !isHonest { wrong.append("in the end \(request.path) is \(found)") }
        }
        return wrong
    }

    /// Whether a completed request has its whole response.
    private func completionViolations(of row: ListedRequest) async throws -> [String] {
        guard row.state == "completed" else { return [] }
        let environment = replayer.directories.environment
        let shown = try await replayer.sandbox.ferry("show", "--body", "\(row.id)", environment: environment)
        return shown.output == Flow.answer
            ? [] : ["completed without its whole response: \(row), \(shown.errors)"]
    }
}
