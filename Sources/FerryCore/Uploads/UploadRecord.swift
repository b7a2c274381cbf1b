package import HTTPTypes

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
    package var metadata: [HeaderField] = []
    /// Fields of the request that makes the object, such as conditions, a storage class, or encryption.
    package var fields: [HeaderField] = []
    /// The method that the user asked for, where the protocol leaves a choice.
    package var method: HTTPRequest.Method
    /// Digests of the whole file that were given; held against what the server says.
    package var checksums: [Checksum] = []
    /// What names the upload at the server, once it was created. It can be a secret.
    package var handle: UploadHandle?
    /// How many bytes from the start the server has confirmed, where parts follow each other.
    package var offset: Int64 = 0
    /// The parts that the server has confirmed, by number, where they are independent.
    package var parts: [SentPart] = []
    /// What the server said of itself; `nil` before it was asked.
    package var offer: UploadOffer?
    /// What the object will be; `nil` before the parts become one.
    package var expected: ExpectedObject?
    /// A completed upload of the same file to the same URL.
    package var former: FormerUpload?

    package init(url: HTTPURL, length: Int64, fileName: String, method: HTTPRequest.Method = .put) {
        self.url = url
        self.length = length
        self.fileName = fileName
        self.method = method
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
    package var checksum: Checksum?

    package init(number: Int, length: Int64, tag: String, checksum: Checksum? = nil) {
        self.number = number
        self.length = length
        self.tag = tag
        self.checksum = checksum
    }
}
