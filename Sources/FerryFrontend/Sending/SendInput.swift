package import Ferry

/// What is asked to be sent and how, as texts that are not checked yet. ``RequestPlan`` reads and checks them.
///
/// The tool fills it from a command line. Messages name its members as the tool's options.
package struct SendInput: Sendable {
    /// The method.
    package var method = ""
    /// The URL.
    package var url = ""
    /// The body as text.
    package var data: String?
    /// A file with the body; `-` for standard input.
    package var dataFile: String?
    /// A file that is read when the request is sent, and must stay as it is until then; `-` for standard input.
    package var upload: String?
    /// How a file is uploaded.
    package var uploading = UploadChoice()
    /// Whether only the latest body for the URL counts.
    package var replacesUnfinished = false
    /// Whether a file is sent even if it was sent before and was not changed.
    package var sendsAgain = false
    /// Whether it is one of a list. A list is read twice, so its requests cannot read pipes.
    package var isListed = false
    /// The body as JSON.
    package var dataJSON: String?
    /// The fields of a form, each as `NAME=VALUE`.
    package var form: [String] = []
    /// The idempotency key; `nil` for one made from the UUID, if the method needs one.
    package var key: String?
    /// Whether no key is sent.
    package var sendsNoKey = false
    /// The algorithms of `Content-Digest`.
    package var contentDigests: [String] = []
    /// The algorithms of `Repr-Digest`.
    package var reprDigests: [String] = []
    /// Whether to send `Content-MD5`.
    package var sendsContentMD5 = false
    /// Statuses that count as success, in addition to 2xx.
    package var success: [Int] = []
    /// Values of earlier responses, each as `NAME=ID:/POINTER` or `NAME=ID:FIELD`.
    package var values: [String] = []
    /// The file in which the response is saved.
    package var output: String?
    /// Whether that file may exist, and is replaced.
    package var overwrites = false
    /// Maximum size of the kept response.
    package var responseLimit: String?
    /// The type, by which an application handles the response.
    package var type: TransferType?
    /// Where it stands among other transfers.
    package var placement = PlacementInput()
    /// What is sent to servers.
    package var request = RequestInput()
    /// How servers are reached.
    package var connection = ConnectionInput()

    package init() {}
}
