/// An upload and its progress.
package struct UploadWork: TransferWork {
    /// What is uploaded.
    package var specification: UploadSpecification
    /// Its progress.
    package var progress = UploadProgress()

    /// Creates an upload that has not begun.
    package init(_ specification: UploadSpecification) {
        self.specification = specification
    }

    /// Creates an upload with known progress.
    package init(_ specification: UploadSpecification, _ progress: UploadProgress) {
        (self.specification, self.progress) = (specification, progress)
    }

    package var kind: TransferKind { .upload }
    package var url: HTTPURL { specification.url }
    package var terms: WorkTerms {
        get { specification.terms }
        set { specification.terms = newValue }
    }
    package var exchange: ExchangeTerms { specification.exchange }
    package var renewal: Remedy { .sendAgain }
    package var uploadedFile: String? { specification.file.path }

    /// The upload of a file to a URL. The latest version of the file counts.
    package var identity: String? {
        let target = specification.url.withoutFragment.withoutSignature()
        return "\(specification.protocolName.rawValue)\n\(target.absoluteString)\n\(specification.file.path)"
    }

    package func withPossibleRemedies(_ failure: TransferFailure) -> TransferFailure {
        var failure = failure
        failure.remedies = failure.remedies.filter(Self.isPossible).map { $0 == .addAgain ? .sendAgain : $0 }
        return failure
    }

    /// Whether a remedy is about more than the file of a download.
    private static func isPossible(_ remedy: Remedy) -> Bool {
        switch remedy {
        case .fetchAgain, .overwrite, .replaceFile, .autoRename, .chooseOtherName, .chooseOtherDirectory,
            .restartOnChange, .saveAsSent, .ignoreServerDigests, .removePartFile:
            false
        default: true
        }
    }

    package func isRepeated(by other: UploadWork, isOver: Bool) -> Bool {
        let (own, other) = (specification, other.specification)
        return own.protocolName == other.protocolName && own.file.isSame(as: other.file)
            && own.url.withoutSignature().withoutSecrets == other.url.withoutSignature().withoutSecrets
    }

    /// An upload that was begun cannot be moved.
    package func refusal(of edit: TransferEdit, to id: TransferID, in state: TransferState) -> StoreError? {
        guard let url = edit.url, url.withoutSignature() != specification.url.withoutSignature(),
            progress.stage != .fresh || state == .active
        else { return nil }
        return .notPossible(
            id,
            "The upload of transfer \(id) was begun at \(specification.url.host), and cannot be moved.",
            [state.isFinal ? .remove : .cancel, .sendAgain]
        )
    }

    package mutating func dropSecrets() {
        specification.dropSecrets()
        progress.handle = nil
    }

    package mutating func take(url: HTTPURL) { specification.move(to: url) }

    package mutating func apply(_ edit: TransferEdit) {
        if let credentials = edit.credentials { specification.exchange.credentials = credentials }
        if let headers = edit.headers { specification.exchange.headers = headers }
    }

    /// Takes the file as it is now. The machine removes what the server holds of a former version.
    package mutating func replace(by other: UploadWork) -> Bool {
        guard specification != other.specification else { return false }
        specification = other.specification
        return true
    }
}
