import FerryCore
import HTTPTypes

/// A call that someone wants to make. Each request is another call.
struct CallPlan: Sendable {
    /// Its place among the errands.
    var place: Int
    var host: String
    var method: HTTPRequest.Method
    var hasKey: Bool
    var bodyLength: Int
    var layout: Layout
    var retries: Int
    var answerLength: Int
    var responseLimit: Int
    var conduct: Conduct
    /// How its answer is saved; `nil` if it is stored with the transfer.
    var saving: Saving?

    /// Whether it takes a value of the answer to an earlier call, if it comes after one.
    var takesValue: Bool { !place.isMultiple(of: 3) }

    /// How an answer is saved in a file.
    struct Saving: Hashable, Sendable {
        /// Whether an existing file is replaced.
        var replaces: Bool
        /// What has its name before.
        var inTheWay: FileSurvey.Kind?
    }

    /// Where its body is.
    enum Layout: Hashable, Sendable {
        case bytes
        /// In a file.
        case file
        /// In bytes around a file.
        case form
        /// In a copy that the engine has made of it.
        case copied
    }

    /// What its server does if nothing goes wrong.
    enum Conduct: Hashable, Sendable {
        /// Acts on it.
        case accepts
        /// Does not act on it, now or later.
        case refuses(status: Int)
        /// Redirects it, with its method and its body.
        case moves(status: Int, elsewhere: Bool)
        /// Acts on it, and redirects to the result.
        case seeOther
    }

    init(place: Int, _ dice: SimulationDice) {
        self.place = place
        host = dice.pick(["origin.example", "api.example"])
        method = dice.pick([.post, .post, .post, .get, .put])
        hasKey = method == .post && dice.happens(400)
        bodyLength = method == .get ? 0 : dice.pick([0, 1, 300, 2_000])
        layout = bodyLength == 0 ? .bytes : dice.pick([.bytes, .bytes, .file, .form, .copied])
        retries = dice.pick([1_000_000, 1_000_000, 1_000_000, 3])
        answerLength = dice.pick([0, 20, 20, 1_500])
        responseLimit = dice.pick([1 << 20, 1 << 20, 100])
        conduct = dice.pick([
            .accepts, .accepts, .accepts, .accepts, .accepts, .seeOther,
            .refuses(status: dice.pick([400, 401, 404, 413, 422])),
            .moves(status: dice.pick([307, 308]), elsewhere: dice.happens(500)),
        ])
        if dice.happens(250) {
            saving = Saving(
                replaces: dice.happens(500),
                inTheWay: dice.happens(200) ? dice.pick([.file, .file, .directory, .symbolicLink]) : nil
            )
        }
    }
}

extension CallPlan {
    /// The URL of the call with a number that is made of it.
    func url(_ number: Int, query: String = "") -> HTTPURL {
        do {
            return try HTTPURL(parsing: "http://\(host)/call/\(number)\(query)")
        } catch {
            preconditionFailure("an address of a call is a URL")
        }
    }
}

/// One call, and what really happened to it, which only its servers know.
struct SimulatedCall: Sendable {
    /// An answer of a server; each has its own body.
    struct Answer: Sendable {
        var response: StoredResponse
        /// The number of bytes of its body that the process received.
        var given = 0
        /// Whether a body of other bytes was answered.
        var isToAnother = false
        var isWhole: Bool { hasEnded && given == response.body.count }
        /// Whether its head and all wanted bytes of its body were delivered.
        var hasEnded = false
    }

    /// One attempt at sending; only equal to itself.
    struct Departure: Hashable, Sendable {
        let listener: any ExchangeListener

        static func == (lhs: Departure, rhs: Departure) -> Bool { lhs.listener === rhs.listener }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(listener)) }
    }

    let number: Int
    let plan: CallPlan
    var specification: RequestSpecification
    /// The name of its transfer, if that was known before its body was copied.
    var uuid: TransferUUID?
    /// The call of which it takes the entity tag of the answer.
    var source: TransferID?
    /// The queries with that tag with which it has left.
    var queries: Set<String> = []
    /// The bytes of its body when it was made.
    let body: [UInt8]
    /// Whether its file was changed, replaced or removed since.
    var isDisturbed = false
    /// How often someone has said of it that it did not arrive.
    var permits = 0
    /// How often part of it left, redirects included.
    var departures = 0
    /// How often part of it arrived, and how often all of it.
    var arrivals = 0
    var wholeArrivals = 0
    /// How often a server acted on it.
    var effects = 0
    /// The origins that have acted on its key.
    var keptKeys: Set<Origin> = []
    /// The attempts that sent something and may have had an effect.
    var doubts: Set<Departure?> = []
    var answers: [Answer] = []
    /// It got an address at another origin, for which its key is not meant.
    var isSentElsewhere = false

    /// Whether acting on it several times has the same effect.
    var isIdempotent: Bool { specification.method.isIdempotent }

    /// The path of its file, which others can change; `nil` if its body has none.
    var file: String? { uuid == nil ? specification.body.files.first?.path : nil }

    /// Another address of it: at the same origin, or at one that does not know its key.
    func address(elsewhere: Bool) -> HTTPURL {
        let text =
            elsewhere
            ? "http://\(SimulatedService.elsewhere)/call/\(number)"
            : "http://\(plan.host)/call/\(number)?fresh"
        do {
            return try HTTPURL(parsing: text)
        } catch {
            preconditionFailure("an address of a call is a URL")
        }
    }

    /// Whether a response is what a server began to answer, without its body, which was lost.
    func hasBegun(_ response: StoredResponse) -> Bool {
        response.isTruncated && response.body.isEmpty
            && answers.contains {
                $0.response.status == response.status && $0.response.fields == response.fields
            }
    }

    /// Whether a response is what a server answered, up to the kept bytes.
    func hasGiven(_ response: StoredResponse) -> Bool {
        answers.contains { answer in
            let (given, kept) = (answer.response, response.body)
            guard given.status == response.status, given.fields == response.fields, answer.hasEnded,
                !answer.isToAnother
            else {
                return false
            }
            if let length = response.savedLength {
                return answer.isWhole && Int64(given.body.count) == length && kept.isEmpty
            }
            guard response.isTruncated else { return answer.isWhole && given.body == kept }
            return answer.given > kept.count && given.body.prefix(kept.count) == kept[...]
                && kept.count == plan.responseLimit
        }
    }
}
