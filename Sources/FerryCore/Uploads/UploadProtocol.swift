package import HTTPTypes

/// How a file goes to one kind of server so that an upload that broke goes on: it builds requests and reads answers,
/// without any I/O.
///
/// The server's answer is the truth about how far an upload is. What is recorded of it is a hint.
package protocol UploadProtocol: Sendable {
    /// Its rules for parts.
    var rules: UploadPartRules { get }

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

/// The parts in which a protocol takes a file.
package struct UploadPartRules: Hashable, Sendable {
    /// Whether parts may be sent side by side and in any order. Otherwise each begins where the server is.
    package var areIndependent: Bool
    /// The shortest part but the last, in bytes; 0 if any length will do.
    package var shortest: Int64
    /// The longest part, in bytes; `nil` without a bound.
    package var longest: Int64?
    /// The largest number of parts; `nil` without a bound.
    package var most: Int?
    /// Each part but the last has a multiple of this many bytes.
    package var unit: Int64
    /// The protocol sends a whole file of up to this many bytes in one request, without an upload to resume; 0 if it
    /// never does.
    package var longestWhole: Int64

    package init(
        areIndependent: Bool,
        shortest: Int64 = 0,
        longest: Int64? = nil,
        most: Int? = nil,
        unit: Int64 = 1,
        longestWhole: Int64 = 0
    ) {
        self.areIndependent = areIndependent
        self.shortest = shortest
        self.longest = longest
        self.most = most
        self.unit = unit
        self.longestWhole = longestWhole
    }
}

/// One exchange of an upload.
package enum UploadStep: Hashable, Sendable {
    /// Asks what the server can do, before there is an upload.
    case discover
    /// Sends the whole file in one request, without an upload to resume.
    case sendWhole
    /// Creates the upload.
    case create
    /// Asks how far the server is. A long list of parts comes in pages; the next begins after this marker.
    case ask(after: String?)
    /// Sends a part.
    case append(UploadPart)
    /// Makes the parts one object.
    case complete
    /// Asks whether the object is there and is the one that was sent, when the answer to the last step was lost.
    case look
    /// Removes what the server holds of an upload that is given up.
    case abort
}

/// A range of the file that is sent in one request.
package struct UploadPart: Hashable, Sendable {
    /// Its number, from 1 on.
    package var number: Int
    /// Its bytes.
    package var range: Range<Int64>
    /// Whether it ends the file.
    package var isLast: Bool
    /// What the runner has computed from the bytes, if the protocol sends it along.
    package var checksum: UploadChecksum?

    package init(number: Int, range: Range<Int64>, isLast: Bool, checksum: UploadChecksum? = nil) {
        self.number = number
        self.range = range
        self.isLast = isLast
        self.checksum = checksum
    }
}

/// A checksum of a part or of the whole file.
package struct UploadChecksum: Hashable, Sendable, Codable {
    /// How it is computed.
    package enum Algorithm: String, Hashable, Sendable, Codable {
        case crc32c, crc64nvme, crc64xz, md5, sha1, sha256
    }

    /// How it was computed.
    package var algorithm: Algorithm
    /// Its bytes, the most significant first.
    package var bytes: [UInt8]

    package init(_ algorithm: Algorithm, _ bytes: [UInt8]) {
        self.algorithm = algorithm
        self.bytes = bytes
    }
}

/// A part that the server has, as it confirmed it.
package struct SentPart: Hashable, Sendable, Codable {
    /// Its number, from 1 on.
    package var number: Int
    /// Its length in bytes.
    package var length: Int64
    /// The server's name for its content; needed to complete the upload.
    package var tag: String
    /// The checksum that the server has confirmed; `nil` for none.
    package var checksum: UploadChecksum?

    package init(number: Int, length: Int64, tag: String, checksum: UploadChecksum? = nil) {
        self.number = number
        self.length = length
        self.tag = tag
        self.checksum = checksum
    }
}

/// What is known of an upload: what is sent, and how far the server is.
package struct UploadRecord: Hashable, Sendable {
    /// Where the file goes.
    package var url: HTTPURL
    /// Its length in bytes.
    package var length: Int64
    /// The name of the file, for protocols that tell the server.
    package var fileName: String
    /// The media type of the file; `nil` if it is not told.
    package var contentType: String?
    /// Names and values that are stored with the object.
    package var metadata: [HeaderField]
    /// Fields of the request that makes the object, such as conditions, a storage class, or encryption.
    package var fields: [HeaderField]
    /// The method that the user asked for, where the protocol leaves a choice.
    package var method: HTTPRequest.Method
    /// Digests of the whole file that were given; held against what the server says.
    package var checksums: [UploadChecksum]
    /// What names the upload at the server, once it was created. It can be a secret.
    package var handle: UploadHandle?
    /// How many bytes from the start the server has confirmed, where parts follow each other.
    package var offset: Int64
    /// The parts that the server has confirmed, by number, where they are independent.
    package var parts: [SentPart]
    /// What the server said of itself; `nil` before it was asked.
    package var offer: UploadOffer?

    package init(url: HTTPURL, length: Int64, fileName: String, method: HTTPRequest.Method = .put) {
        self.url = url
        self.length = length
        self.fileName = fileName
        contentType = nil
        (metadata, fields, checksums, parts) = ([], [], [], [])
        self.method = method
        (handle, offset, offer) = (nil, 0, nil)
    }
}

/// What names an upload at its server.
package struct UploadHandle: Hashable, Sendable, Codable {
    /// The URL of the upload, or of the object to which it belongs.
    package var url: HTTPURL
    /// The name of the upload, where the URL is not enough; `nil` otherwise.
    package var name: String?
    /// When the server forgets it; `nil` if it does not say.
    package var expiry: Instant?

    package init(url: HTTPURL, name: String? = nil, expiry: Instant? = nil) {
        self.url = url
        self.name = name
        self.expiry = expiry
    }
}

/// What a server says that it can do.
package struct UploadOffer: Hashable, Sendable, Codable {
    /// The names of its extensions.
    package var extensions: Set<String>
    /// The longest file, in bytes; `nil` if it does not say.
    package var longest: Int64?
    /// The longest body of one request, in bytes; `nil` if it does not say.
    package var longestAppend: Int64?
    /// The shortest body but the last, in bytes; `nil` if it does not say.
    package var shortestAppend: Int64?
    /// The algorithms that it checks bytes with.
    package var checksums: [UploadChecksum.Algorithm]

    package init(
        extensions: Set<String> = [],
        longest: Int64? = nil,
        longestAppend: Int64? = nil,
        shortestAppend: Int64? = nil,
        checksums: [UploadChecksum.Algorithm] = []
    ) {
        self.extensions = extensions
        self.longest = longest
        self.longestAppend = longestAppend
        self.shortestAppend = shortestAppend
        self.checksums = checksums
    }
}

/// The request of a step.
package struct UploadRequest: Hashable, Sendable {
    /// The body of a request.
    package enum Body: Hashable, Sendable {
        /// Bytes that the protocol made, such as a list of parts.
        case bytes([UInt8])
        /// A range of the file.
        case file(Range<Int64>)
    }

    package var method: HTTPRequest.Method
    package var url: HTTPURL
    package var fields: HTTPFields
    package var body: Body
    /// Whether it has the same effect when it arrives twice, so that it is simply sent again.
    package var isRepeatable: Bool

    package init(
        _ method: HTTPRequest.Method,
        _ url: HTTPURL,
        fields: HTTPFields = [:],
        body: Body = .bytes([]),
        isRepeatable: Bool
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.isRepeatable = isRepeatable
    }
}

/// An answer to a step. Of the body, up to ``longestBody`` bytes are there.
package struct UploadAnswer: Hashable, Sendable {
    package var status: Int
    package var fields: HTTPFields
    package var body: [UInt8]
    /// Where it came from; a relative `Location` is resolved against it.
    package var url: HTTPURL

    /// Pages of parts and errors of stores are shorter. A longer answer is refused.
    package static let longestBody = 4 << 20

    package init(_ status: Int, _ fields: HTTPFields = [:], body: [UInt8] = [], from url: HTTPURL) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }
}

/// What an answer means for an upload.
package enum UploadReading: Hashable, Sendable {
    /// What the server can do.
    case offers(UploadOffer)
    /// The upload was created, also as an interim answer (104) while its first bytes are on the way.
    case created(UploadHandle, offset: Int64)
    /// The server has this many bytes from the start on, and the upload is not over.
    case reached(Int64, expiry: Instant?)
    /// A page of the parts that the server has; the next page begins after the marker, `nil` at the end.
    case lists([SentPart], next: String?)
    /// The server has this part.
    case took(SentPart)
    /// The object is there.
    case done(UploadResult)
    /// The object is not there, or is another one. Only an answer to ``UploadStep/look``.
    case absent
    /// What the server held of the upload is removed, or was gone before.
    case removed
    /// The server does not know the upload any more: it starts over.
    case gone
    /// The server is at another offset, this one if it says so: it is asked again.
    case misplaced(Int64?)
    /// The bytes arrived damaged: they are sent again.
    case damaged
    /// The server does not speak this protocol.
    case notSpoken
    /// The step failed.
    case failed(Problem)
}

/// What the server says of the object that an upload made.
package struct UploadResult: Hashable, Sendable, Codable {
    /// The status of the answer.
    package var status: Int
    /// Its fields, as received.
    package var fields: [HeaderField]
    /// Its body, up to a bound.
    package var body: [UInt8]
    /// The entity tag of the object (RFC 9110 §8.8.3); `nil` if it does not say.
    package var entityTag: String?
    /// The version of the object; `nil` if it does not say.
    package var version: String?
    /// The checksums of the whole object that the server has computed.
    package var checksums: [UploadChecksum]

    package init(
        status: Int,
        fields: [HeaderField] = [],
        body: [UInt8] = [],
        entityTag: String? = nil,
        version: String? = nil,
        checksums: [UploadChecksum] = []
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.entityTag = entityTag
        self.version = version
        self.checksums = checksums
    }
}
