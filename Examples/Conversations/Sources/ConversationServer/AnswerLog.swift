import Hummingbird

/// What the server has answered to requests for components.
actor AnswerLog {
    /// One answer.
    struct Answer: Encodable {
        /// The item, the component and the version, such as `m7/header/3`.
        var what: String
        var extent: Extent
    }

    /// How much of the component was sent.
    enum Extent: String, Encodable {
        /// All of it.
        case whole
        /// All of a range of it.
        case part
        /// Not all that was to be sent: the client has gone.
        case cut
    }

    /// What `GET /answers` answers with.
    struct Report: ResponseEncodable {
        /// The number of requests for components.
        var requests = 0
        /// The number of answers that are being sent.
        var open = 0
        /// The others, in the order of their ends.
        var answers: [Answer] = []
    }

    private let failing: Int
    private var report = Report()

    /// - Parameter failing: every request of this number fails; 0 for none.
    init(failing: Int) { self.failing = failing }

    var all: Report { report }

    /// Counts a request, and fails now and then.
    func take() throws {
        report.requests += 1
        if failing > 0, report.requests.isMultiple(of: failing) { throw HTTPError(.internalServerError) }
    }

    /// Begins to send an answer.
    func begin() { report.open += 1 }

    /// Ends an answer.
    func end(_ what: String, _ extent: Extent) {
        report.open -= 1
        report.answers.append(Answer(what: what, extent: extent))
    }
}
