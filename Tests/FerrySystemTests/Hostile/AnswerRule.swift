/// A rule of a scenario's server: which requests it is for, and what is done about them.
struct AnswerRule: Sendable {
    var conditions: [Condition] = []
    var steps: [AnswerStep] = []

    /// What must be true of a request; all conditions of a rule must be.
    enum Condition: Hashable, Sendable {
        /// It comes during the so-manieth command, or one of these.
        case run(ClosedRange<Int>)
        /// It is the so-manieth for its path during this command.
        case nth(ClosedRange<Int>)
        /// It is the so-manieth of those that are being answered, itself among them.
        case open(ClosedRange<Int>)
        case path(String)
        /// It came to this origin: `here`, `other`, `localhost` or `tls`.
        case origin(String)
        /// It has a field of this name.
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

/// One thing that a scenario's server does on a connection.
enum AnswerStep: Sendable {
    /// Sends a text.
    case send(ScenarioText)
    /// Sends a text so many times, or until the client has gone.
    case sendAgain(ScenarioText, times: Int)
    /// Sends bytes of a version.
    case body(String, from: ScenarioNumber, to: ScenarioNumber)
    /// Sends bytes of a version one by one, with so many milliseconds between.
    case drip(String, from: ScenarioNumber, to: ScenarioNumber, every: Int)
    /// Answers as a right server does, but for what is told otherwise.
    case honest(HonestAnswer)
    /// Says nothing more until the client has gone.
    case hold
    /// Breaks the connection off with a reset.
    case reset
    /// Closes the connection.
    case close
}

/// A request to a scenario's server, and what its rules look at.
struct ScenarioRequest: Sendable {
    var head: ScriptedRequest
    var origin: String
    /// The command during which it came, from 1.
    var run: Int
    /// The how-manieth for its path at its origin it is during that command, from 1.
    var ordinal: Int
    /// How many requests are being answered, itself among them.
    var open = 1
}
