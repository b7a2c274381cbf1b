package import Ferry

extension ExitStatus {
    /// The status for a failed transfer. If its attempts ran out, the status for the last failure; if the response of a request
    /// was lost, the status for what prevented that it was kept.
    package init(_ failure: TransferFailure) {
        if [.attemptsExhausted, .responseLost].contains(failure.code), let cause = failure.cause,
            cause != failure.code
        {
            self.init(cause)
        } else {
            self.init(failure.code)
        }
    }

    /// The status for a failure code.
    init(_ code: TransferFailure.Code) {
        self =
            switch code {
            case .notFound, .gone: .notFound
            case .notAuthorised, .forbidden, .urlExpired: .notAuthorised
            case .refused, .badResponse, .serverError, .redirectRefused: .badResponse
            case .serverOverloaded: .serverOverloaded
            case .tooManyRedirects: .tooManyRedirects
            case .resourceReplaced, .resourceChanged, .cannotResume, .partFileLost: .cannotResume
            case .checksumMismatch: .checksumMismatch
            case .tooLong: .tooLong
            case .nameNotResolved: .nameNotResolved
            case .connectionRefused, .connectionLost, .networkUnreachable, .tlsFailed, .proxyFailed: .network
            case .timeout, .tooSlow, .deadlinePassed: .timeout
            case .destinationExists: .fileExists
            case .cannotCreate, .destinationMoved: .cannotCreate
            case .cannotOpen: .cannotOpen
            case .diskFull: .diskFull
            case .streamStopped: .unfinished
            case .outcomeUnknown: .outcomeUnknown
            case .attemptsExhausted, .storageFault, .dependencyFailed, .headFailed, .bodyChanged,
                .valueMissing, .responseLost,
                .streamLost, .gaveWay, .internalFault:
                .other
            }
    }

    /// The status for a failure of the store.
    init(_ error: StoreError) {
        self =
            switch error {
            case .foreign, .newer, .unreleased, .corrupt, .damagedTransfer, .newerTransfer, .unavailable:
                .cannotOpen
            case .writeFailed(_, _, isDiskFull: true): .diskFull
            // The disk with the file of a completed transfer is not mounted, as for a mirror.
            case .notPossible(_, _, let remedies) where remedies.contains(.mountDisk): .cannotOpen
            case .refusedQueue, .refusedPool: .usage
            case .ownerRemoved: .unfinished
            case .writeFailed, .claimLost, .noSuchTransfer, .noTransferNamed, .otherTransferNamed,
                .notPossible, .refusedNode:
                .other
            }
    }

    /// The status for a command that had to finish a transfer, given the transfer's state.
    package init(_ state: TransferState) {
        self =
            switch state {
            case .completed: .done
            case .failed(let failure): ExitStatus(failure)
            case .cancelled: .other
            case .queued, .active, .waiting, .paused: .unfinished
            }
    }
}
