/// How far an upload has come.
///
/// The parts that a server has are not in it: the server lists them, and what it says is the truth. So a row stays
/// small, however many parts there are.
package struct UploadProgress: TransferWorkProgress, Codable {
    /// What was sent last that the server may have acted on. Recorded before it is sent.
    package enum Stage: String, Hashable, Sendable, Codable {
        /// Nothing.
        case fresh
        /// The request that creates the upload. Without a handle, the server may hold an upload that no one can name.
        case creating
        /// The upload is known by its handle, and parts of it may have been sent.
        case open
        /// The request that makes the object: the end of the upload, its last part, or the whole file.
        case completing
        /// The object is there.
        case done
    }

    /// The latest step.
    package var stage = Stage.fresh
    /// The file as it was when the upload was begun; what the server holds are bytes of this version.
    package var source: PinnedFile?
    /// What names the upload at the server. It can be a secret.
    package var handle: UploadHandle?
    /// The number of bytes that the server has confirmed, as far as it was noted.
    package var confirmed: Int64 = 0
    /// The length of a part in bytes, where parts are independent. All attempts use the same.
    package var partSize: Int64?
    /// What the server said of itself.
    package var offer: UploadOffer?
    /// When the upload was begun.
    package var sent: Instant?
    /// What the object will be, noted before the parts become one.
    package var expected: ExpectedObject?
    /// A completed upload of the same file to the same URL; `nil` if the file is sent without a question.
    package var former: FormerUpload?
    /// What the server said of the object.
    package var result: UploadResult?
    /// The explanation of the latest resume or restart.
    package var note: TransferNote?

    /// Creates the progress of an upload that has not begun.
    package init() {}

    /// Forgets the upload at the server.
    mutating func startOver() {
        (stage, source, handle, confirmed, partSize) = (.fresh, nil, nil, 0, nil)
        (sent, expected, former, result) = (nil, nil, nil, nil)
    }

    package var received: Int64 { confirmed }
    package var total: Int64? { source?.length }
    package var hasAnswer: Bool { handle != nil || offer != nil || result != nil }
    package var startsOver: Bool { handle == nil && confirmed > 0 && stage != .done }

    package func isRealProgress(past best: Int64) -> Bool {
        confirmed >= best.addingSaturated(RetryPolicy.realProgress)
            || (confirmed > best && confirmed == total)
    }

    /// Reads the progress. A missing field has its default.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        stage = try values.decode(Stage.self, forKey: .stage)
        source = try values.value(of: .source)
        handle = try values.value(of: .handle)
        confirmed = try values.value(of: .confirmed) ?? 0
        guard confirmed >= 0 else {
            throw values.damaged(.confirmed, "below 0")
        }
        partSize = try values.value(of: .partSize)
        offer = try values.value(of: .offer)
        sent = try values.value(of: .sent)
        expected = try values.value(of: .expected)
        former = try values.value(of: .former)
        result = try values.value(of: .result)
        note = try values.value(of: .note)
    }
}
