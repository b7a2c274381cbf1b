extension TransferFailure {
    /// This failure with the remedies of its code, unless it already has more exact ones from its place of origin.
    package var withRemedies: TransferFailure {
        guard remedies.isEmpty else { return self }
        var failure = self
        // After the last attempt, the remedies of the cause. For any other failure, those of its own code.
        failure.remedies = (code == .attemptsExhausted ? cause ?? code : code).remedies
        return failure
    }
}

extension TransferFailure.Code {
    /// Whether a request with this failure is not sent again before Ferry is told what became of it (``RequestOutcome``).
    package var needsResolution: Bool { self == .outcomeUnknown || self == .responseLost }

    /// The remedies when a transfer has failed with this code and nothing more exact is known.
    package var remedies: [Remedy] {
        switch self {
        case .notFound, .gone, .forbidden, .refused, .redirectRefused, .tooManyRedirects, .urlExpired:
            [.giveURL, .retry]
        case .badResponse: [.retry, .giveURL]
        case .notAuthorised: [.giveCredentials, .retry]
        case .tooLong: [.allowLongerFile]
        case .resourceReplaced, .resourceChanged, .cannotResume: [.restartOnChange]
        case .checksumMismatch, .destinationMoved: [.fetchAgain]
        case .destinationExists: [.overwrite, .autoRename]
        case .cannotCreate, .cannotOpen: [.retry, .chooseOtherDirectory]
        case .diskFull: [.freeSpace, .retry]
        case .storageFault: [.checkDisk, .retry]
        case .outcomeUnknown: [.confirmArrival]
        case .responseLost: [.acceptLoss]
        case .gaveWay, .bodyChanged: [.addAgain]
        case .deadlinePassed: [.giveDeadline, .retry]
        // A retry would find the same response.
        case .valueMissing: [.remove, .addAgain]
        case .internalFault: [.reportDefect, .retry]
        case .proxyFailed: [.retry, .chooseOtherProxy]
        case .tlsFailed: [.trustCertificates, .retry]
        // Something other than the transfer has to change, or it changes by itself.
        case .attemptsExhausted, .serverOverloaded, .serverError, .nameNotResolved, .connectionRefused,
            .connectionLost, .networkUnreachable, .timeout, .tooSlow, .partFileLost, .dependencyFailed,
            .headFailed, .streamLost, .streamStopped:
            [.retry]
        }
    }
}
