/// What the machine of a request is told, and what it orders.
extension RequestMachine {
    /// What happened.
    package enum Event: Sendable {
        /// The attempt may begin.
        case begin
        /// The request has these credentials from now on; with `nil` those that it was given.
        case authorised(Credentials?)
        /// No fresh credentials were given. With a problem: retry later. With `nil`: there never will be any.
        case unauthorised(Problem?)
        /// The progress was recorded.
        case recorded
        /// This many bytes of a body in files have left in all.
        case left(Int64)
        /// The answer has arrived.
        case answered(Answer)
        /// The exchange has failed before an answer came, also because it was cut.
        case failed(Problem, hasLeft: Bool)
        /// The stored body of the response is in this file, durably.
        case saved(PartFileClaim)
        /// The file with the response has its name.
        case published
        /// The file with the response was removed before it had its name.
        case fileLost
        /// The response could not be saved, or its file not be named. It is kept where it was.
        case notSaved(Problem)
        /// The caller wants the attempt to end.
        case ask(StopOrder)
    }

    /// An answer whose head has arrived.
    package struct Answer: Sendable {
        /// The part of it that has arrived.
        package var response: StoredResponse
        /// How long the server asks to wait; `nil` if it does not.
        package var retryAfter: Duration?
        /// Whether it comes from the origin that got the credentials, and refuses them.
        package var refusesCredentials = false
        /// Whether it answers the `GET` to which a redirect led.
        package var isRewritten = false
        /// The URL to which that redirect led; `nil` if it is not known.
        package var target: HTTPURL?
        /// What it means, if that was needed before its end; `nil` if it is still to be judged.
        package var verdict: RequestVerdict?
        /// Why the rest of its body was lost, also because the exchange was cut; `nil` when it is whole.
        package var loss: Problem?
        /// What became of a body that was to be saved in a file; `nil` for any other.
        package var saving: Saving?

        /// What became of a body that was to be saved in a file.
        package enum Saving: Hashable, Sendable {
            /// All of it is in this file, durably.
            case file(PartFileClaim)
            /// All of it is kept in the response, because the file could not take it: that is its loss.
            case stored
            /// Only its beginning is kept in the response, because the file could not take it: that is its loss.
            case lost
        }

        /// Creates a whole answer.
        package init(_ response: StoredResponse, retryAfter: Duration? = nil, isRewritten: Bool = false) {
            self.response = response
            self.retryAfter = retryAfter
            self.isRewritten = isRewritten
        }
    }

    /// What the runner must do.
    package enum Action: Hashable, Sendable {
        /// Find the credentials for this message.
        ///
        /// - Parameter isRefused: whether the server has refused those that it has.
        case authorise(RequestSpecification, isRefused: Bool)
        /// Record the progress so that it survives power loss.
        case record(RequestProgress)
        /// Record how far an upload has come, for display. It need not survive power loss.
        case note(RequestProgress)
        /// Send this message.
        case send(RequestSpecification)
        /// Cut the exchange; its failure is still fed back.
        case disconnect
        /// Write the stored body of the response into a file.
        case save([UInt8])
        /// Give the file with the response its name. It has this length in bytes.
        case publish(PartFileClaim, length: Int64)
        /// The attempt is over.
        case finish(AttemptOutcome, RequestProgress)
    }
}
