/// A rule of a scenario's server: the requests that it applies to, and the steps of the answer.
struct AnswerRule: Sendable {
    var conditions: [Condition] = []
    var steps: [AnswerStep] = []

    /// A condition on a request. A rule applies if all of its conditions hold.
    enum Condition: Hashable, Sendable {
        /// It comes during a command with one of these numbers.
        case run(ClosedRange<Int>)
        /// Its number among the requests for its path during this command.
        case nth(ClosedRange<Int>)
        /// The number of requests that are being answered, including this one.
        case open(ClosedRange<Int>)
        case path(String)
        /// It is for this origin: `here`, `other`, `localhost` or `tls`.
        case origin(String)
        /// It has a header field of this name.
        case has(String)
        case lacks(String)
    }

    func fits(_ request: ScenarioRequest) -> Bool {
        conditions.allSatisfy { condition in
            switch condition {
            case .run(let runs): runs.contains(request.run)
            case .nth(let ordinals): ordinals.contains(request.ordinal)
            case .open(let numbers): numbers.contains(request.open)
            case .path(let path): request.head.path == path
            case .origin(let origin): request.origin == origin
            case .has(let field): request.head[field] != nil
            case .lacks(let field): request.head[field] == nil
            }
        }
    }
}

/// One step of a scenario's server on a connection.
enum AnswerStep: Sendable {
    /// Sends a text.
    case send(ScenarioText)
    /// Sends a text N times, or until the client disconnects.
    case sendAgain(ScenarioText, times: Int)
    /// Sends bytes of a version.
    case body(String, from: ScenarioNumber, to: ScenarioNumber)
    /// Sends bytes of a version one by one, with a pause in milliseconds between them.
    case drip(String, from: ScenarioNumber, to: ScenarioNumber, every: Int)
    /// Answers as a correct server does, except for the flaws that are given.
    case honest(HonestAnswer)
    /// Sends nothing more until the client disconnects.
    case hold
    /// Resets the connection.
    case reset
    /// Closes the connection.
    case close
}

/// A request to a scenario's server, with the facts that rules check.
struct ScenarioRequest: Sendable {
    var head: ScriptedRequest
    var origin: String
    /// The command during which it came, from 1.
    var run: Int
    /// Its number among the requests for its path and origin during that command, from 1.
    var ordinal: Int
    /// How many requests are being answered, including this one.
    var open = 1
}
