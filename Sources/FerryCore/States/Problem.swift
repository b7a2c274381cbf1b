/// A failure and its effect on the transfer, classified where the failure arose.
package struct Problem: Error, Hashable, Sendable {
    /// What happened.
    package var failure: TransferFailure
    /// Its effect on the transfer.
    package var disposition: Disposition
    /// Whether the URL is most likely mistyped: the resolver answered that there is no host of that name. A retry may
    /// work, because a name may be new or a resolver temporarily wrong, but few retries are made.
    package var isUnknownHost = false
    /// Whether it proves that the server did not read the last request, although bytes of it have left: the server
    /// had not accepted the connection.
    package var precedesRequest = false
    /// Whether it is no failure of the network: a connection was cut to be replaced at once.
    package var isCut = false

    /// Creates a problem.
    package init(_ failure: TransferFailure, _ disposition: Disposition) {
        self.failure = failure
        self.disposition = disposition
    }

    /// What a failure means for its transfer.
    package enum Disposition: Hashable, Sendable {
        /// It may work next time; not before `retryAfter` if the server gave a time.
        case transient(retryAfter: Duration?)
        /// It works when this condition has ended; the attempt does not count.
        case condition(WaitCondition)
        /// It will never work.
        case permanent
    }

    /// Creates a failure that may not happen again.
    package static func transient(
        _ code: TransferFailure.Code,
        _ message: String,
        remedies: [Remedy] = [],
        retryAfter: Duration? = nil
    ) -> Problem {
        Problem(TransferFailure(code, message, remedies: remedies), .transient(retryAfter: retryAfter))
    }

    /// Creates a failure that will always happen again.
    package static func permanent(
        _ code: TransferFailure.Code,
        _ message: String,
        remedies: [Remedy] = []
    ) -> Problem {
        Problem(TransferFailure(code, message, remedies: remedies), .permanent)
    }

    /// The bytes at a place are not those that came for it before: they are of another version.
    package static let bytesDiffer = transient(
        .resourceChanged,
        "The bytes differ from those already received."
    )

    /// Sealed bytes on the disk do not open: they are not those that were written.
    package static let sealedBytesDamaged = transient(
        .storageFault,
        "Sealed bytes of the file were damaged on the disk."
    )

    /// Creates a failure for an unexpected error.
    ///
    /// It names only the error's type: the error's text may quote a URL, which is a secret (I7).
    ///
    /// - Parameter subject: what had the error, as the beginning of a sentence.
    package static func unexpected(_ error: any Error, met subject: String) -> Problem {
        .transient(.internalFault, "\(subject) met an unexpected error: \(type(of: error)).")
    }

    /// Creates a failure that lasts until a condition ends.
    package static func condition(
        _ condition: WaitCondition,
        _ code: TransferFailure.Code,
        _ message: String,
        remedies: [Remedy] = []
    ) -> Problem {
        Problem(TransferFailure(code, message, remedies: remedies), .condition(condition))
    }
}

extension Problem: CustomStringConvertible {
    /// What happened, in one sentence for a person.
    package var description: String { failure.message }
}

extension Problem {
    /// This problem; if it is a lack of space, it ends only when there is room for at least this many bytes.
    package func needing(_ length: Int64) -> Problem {
        guard case .condition(.diskSpace(let needed)) = disposition else { return self }
        var problem = self
        problem.disposition = .condition(.diskSpace(needed: max(needed, length)))
        return problem
    }
}
