package import Ferry

/// Why a command failed: what happened, what to do next, and the exit status.
package struct CommandFailure: Error, Hashable, Sendable {
    /// The exit status of the tool.
    package var status: ExitStatus
    /// A stable code of the failure, for JSON.
    package var code: String
    /// What happened and what is safe, in sentences.
    package var message: String
    /// Further messages, each of which has a line of its own.
    package var further: [String] = []
    /// The next step.
    package var hint: String?
    /// The transfer concerned.
    package var transfer: TransferID?
    /// What is wrong with the command line, if the tool can say more about it. ``code`` is `usage` for all of them.
    package var usageFault: UsageFault?

    /// What is wrong with a command line.
    package enum UsageFault: Hashable, Sendable {
        /// It has no URL. An option may have taken it as its value.
        case missingURL
    }

    package init(
        _ status: ExitStatus,
        code: String,
        _ message: String,
        hint: String? = nil,
        transfer: TransferID? = nil
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.transfer = transfer
    }

    /// The command line is invalid; nothing was done.
    package static func usage(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.usage, code: "usage", message, hint: hint)
    }

    /// A file cannot be opened, or must not be used.
    package static func cannotOpen(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.cannotOpen, code: "cannotOpen", message, hint: hint)
    }

    /// There are no credentials for an object store, or none that can be used.
    package static func noCredentials(_ message: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(.notAuthorised, code: "noCredentials", message, hint: hint)
    }

    /// This failure, of a place in a list.
    package func located(at place: String) -> CommandFailure {
        var failure = self
        failure.message = "\(place): \(message)"
        return failure
    }

    /// Any error that an engine throws.
    package init(_ error: any Error, transfer: TransferID? = nil) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as StoreError:
            self.init(
                ExitStatus(error),
                code: error.code,
                error.description,
                hint: Advice.text(error.remedies, about: Advice.Subject(id: error.transfer)),
                transfer: transfer
            )
        case let problem as StorageProblem:
            self.init(problem.problem.failure, transfer: transfer)
        case let failure as TransferFailure:
            self.init(failure, transfer: transfer)
        default:
            self.init(.other, code: "other", "\(error)", transfer: transfer)
        }
    }

    /// A transfer that cannot be resumed. If it is unknown whether a request arrived, the status says so, as it did when the
    /// request failed.
    package init(resuming transfer: Transfer, _ error: any Error) {
        self.init(error, transfer: transfer.id)
        if case .failed(let failure) = transfer.state, failure.code == .outcomeUnknown {
            status = .outcomeUnknown
        }
    }

    /// A transfer that failed.
    init(_ failure: TransferFailure, transfer: TransferID?) {
        self.init(
            ExitStatus(failure),
            code: failure.code.rawValue,
            failure.message,
            hint: Advice.text(failure.remedies, about: Advice.Subject(id: transfer)),
            transfer: transfer
        )
    }
}

extension StoreError {
    /// The stable name of this error in JSON.
    var code: String {
        switch self {
        case .claimLost: "claimLost"
        case .ownerRemoved: "ownerRemoved"
        case .noSuchTransfer, .noTransferNamed: "noSuchTransfer"
        case .notPossible, .otherTransferNamed: "notPossible"
        case .refusedQueue: "queueRefused"
        case .refusedNode: "nodeRefused"
        case .refusedPool: "poolRefused"
        case .foreign: "storeForeign"
        case .newer: "storeNewer"
        case .unreleased: "storeUnreleased"
        case .corrupt: "storeCorrupt"
        case .damagedTransfer: "transferDamaged"
        case .newerTransfer: "transferNewer"
        case .unavailable: "storeUnavailable"
        case .writeFailed: "storeWriteFailed"
        }
    }
}
