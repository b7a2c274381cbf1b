/// How a file is uploaded to one kind of server, and an interrupted upload resumed. It builds requests and reads answers,
/// without any I/O.
///
/// The server's answer is the truth about how far an upload has come. What is recorded of it is a hint.
package protocol UploadProtocol: Sendable {
    /// Its rules for parts.
    var rules: UploadPartRules { get }

    /// Whether the server is asked what it can do before an upload is created.
    var discovers: Bool { get }

    /// The checksum that each part carries; `nil` for none. It may depend on what the server offers.
    func partChecksum(of upload: UploadRecord) -> Checksum.Algorithm?

    /// What the object will be, as far as that follows from all parts; `nil` if nothing does.
    func expectedObject(of upload: UploadRecord) -> ExpectedObject?

    /// Builds the request of a step.
    ///
    /// - Throws: ``TransferFailure`` when this file cannot be sent by this protocol, such as one that is too long.
    func request(for step: UploadStep, of upload: UploadRecord) throws(TransferFailure) -> UploadRequest

    /// Reads the answer to a step.
    func reading(
        _ answer: UploadAnswer,
        to step: UploadStep,
        of upload: UploadRecord,
        at now: Instant
    ) -> UploadReading
}

extension UploadProtocol {
    package var discovers: Bool { false }

    package func partChecksum(of upload: UploadRecord) -> Checksum.Algorithm? { nil }

    package func expectedObject(of upload: UploadRecord) -> ExpectedObject? { nil }
}
