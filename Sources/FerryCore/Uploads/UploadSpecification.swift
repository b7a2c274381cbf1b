public import HTTPTypes

/// A file that is uploaded, and resumed where it was interrupted, as it is stored.
///
/// The file is pinned: an upload never consists of bytes of two versions of it.
public struct UploadSpecification: Hashable, Sendable {
    /// Where it goes.
    public var url: HTTPURL
    /// The file.
    public internal(set) var file: PinnedFile
    /// The protocol.
    public var protocolName: UploadProtocolName
    /// The method of the request that makes the object, where the protocol leaves a choice.
    public var method: HTTPRequest.Method = .put
    /// The media type of the file; `nil` if the server is not told.
    public var contentType: String?
    /// Names and values that the server stores with the file.
    public var metadata: [HeaderField] = []
    /// Fields of the request that makes the object, such as conditions, a storage class, or encryption.
    public var fields: [HeaderField] = []
    /// Digests of the whole file. If the server has computed another one, the upload fails.
    public var checksums: [Checksum] = []
    /// Wished length of a part in bytes; `nil` leaves it to Ferry. The rules of the protocol come first.
    public var partSize: Int64? {
        get { storedPartSize }
        set { storedPartSize = newValue.map { max(1, $0) } }
    }
    private var storedPartSize: Int64?
    /// Maximum number of parts that are sent side by side, where the protocol allows that.
    public var connections: Int {
        get { storedConnections }
        set { storedConnections = max(1, newValue) }
    }
    private var storedConnections = 4
    /// Whether a file that was changed is uploaded from the start as it is now. Otherwise the upload fails.
    public var startsOverOnChange = false
    /// Whether it is sent even if the same file was uploaded to the URL before and was not changed. Otherwise the server is
    /// asked whether it still has it (`HEAD`), and if so, nothing is sent. Where each request creates an upload of its own, as
    /// with tus, no server can be asked, and the file is not sent again.
    public var sendsAgain = false
    /// What the requests carry, their connection, and where redirects may lead.
    public var exchange = ExchangeTerms()
    /// The terms of its attempts.
    package var terms = WorkTerms()

    /// Maximum number of retries after failures; 0 tries once.
    public var retries: Int {
        get { terms.retries }
        set { terms.retries = newValue }
    }

    /// Whether it may also run while its application is in the background, as
    /// ``DownloadOptions/runsInBackground`` says.
    public var runsInBackground: Bool {
        get { terms.runsInBackground }
        set { terms.runsInBackground = newValue }
    }

    /// The deadline, as ``DownloadOptions/notAfter`` says.
    public var notAfter: Instant? {
        get { terms.notAfter }
        set { terms.notAfter = newValue }
    }

    /// Creates an upload of a file.
    public init(_ file: PinnedFile, to url: HTTPURL, by protocolName: UploadProtocolName) {
        (self.file, self.url, self.protocolName) = (file, url, protocolName)
    }

    /// The name of the file without its directory.
    package var fileName: String {
        file.path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? file.path
    }

    /// Whether the URL names what is uploaded. Otherwise each request to it creates an upload of its own.
    package var namesObject: Bool {
        switch protocolName {
        case .s3, .oss, .gcs: true
        case .ietf: method == .put
        case .tus: false
        }
    }

    /// Changes the URL. Secrets stay with the origin that they were given for (I7).
    mutating func move(to url: HTTPURL) {
        if exchange.move(to: url, from: self.url) { fields = [] }
        self.url = url
    }

    /// Takes the URL that a store keeps.
    package mutating func take(stored url: HTTPURL) { self.url = url }

    /// Drops what must not be kept after the upload.
    mutating func dropSecrets() {
        url = url.withoutSecrets
        (metadata, fields) = ([], [])
        exchange.dropSecrets()
        exchange.connection.proxy = exchange.connection.proxy?.withoutCredentials
        exchange.proxies = exchange.proxies?.withoutCredentials
    }
}
