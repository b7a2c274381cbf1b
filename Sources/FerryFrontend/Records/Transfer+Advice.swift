package import Ferry

extension Transfer {
    /// What to do about a failure of this transfer, and what is kept; `nil` if nothing is known.
    ///
    /// - Parameters:
    ///   - remedies: the remedies if they are not those of the failure.
    ///   - command: the command whose line is repeated to ask for it again.
    package func advice(
        on failure: TransferFailure,
        instead remedies: [Remedy]? = nil,
        command: RepeatedCommand = .adding
    ) -> String? {
        // Only `ferry get` downloads to a stream.
        let command = command == .adding && !work.isInterruptible ? .getting : command
        let subject = Advice.Subject(
            id: id,
            kind: kind,
            isInterruptible: work.isInterruptible,
            isResumableAsFile: (failure.cause ?? failure.code).breaksOff,
            hasPartFile: work.residue != nil,
            command: command
        )
        var remedies = remedies ?? failure.remedies
        if command == .continuing, remedies.contains(.continueFile) {
            remedies = [.continueFile] + remedies.filter { $0 != .continueFile }
        }
        let next = Advice.text(remedies, about: subject)
        let sentences = [next, keptText(after: failure)].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// What is kept of a failed transfer; `nil` if nothing is.
    private func keptText(after failure: TransferFailure) -> String? {
        let received = recordedProgress.received
        guard state == .failed(failure), received > 0, keepsBytes,
            (failure.cause ?? failure.code) != .partFileLost, !hasStartedOver
        else { return nil }
        return kind.keptText(ByteCount(received).formatted)
    }

    /// Whether received bytes were dropped before. A server that sends no ranges makes the next attempt drop them again.
    private var hasStartedOver: Bool { work.note?.code == .startedOver }
}

extension TransferFailure.Code {
    /// Whether it ends a download in the middle of its bytes.
    fileprivate var breaksOff: Bool {
        switch self {
        case .connectionLost, .networkUnreachable, .timeout, .tooSlow, .diskFull, .deadlinePassed,
            .streamLost, .streamStopped:
            true
        case .attemptsExhausted, .notFound, .gone, .notAuthorised, .forbidden, .urlExpired,
            .refused, .badResponse, .serverOverloaded, .serverError, .tooManyRedirects,
            .redirectRefused, .resourceReplaced, .resourceChanged, .cannotResume, .checksumMismatch,
            .tooLong, .nameNotResolved, .connectionRefused, .tlsFailed, .proxyFailed,
            .destinationExists, .cannotCreate, .destinationMoved, .cannotOpen, .storageFault,
            .partFileLost, .dependencyFailed, .headFailed, .outcomeUnknown, .responseLost,
            .bodyChanged, .valueMissing, .gaveWay, .internalFault:
            false
        }
    }
}
