/// A certificate with which a client proves to a server who it is (RFC 8446 §4.4.2), and its private key.
///
/// Like credentials, it is for the origin of a transfer's own URL. If a redirect or a mirror leads to another origin,
/// it is not presented there. Only the paths are stored; the files are read for each new connection.
///
/// The files may be replaced at any time, also one after the other. If one is half written, does not match the other, or is
/// missing after it was found before, attempts fail and are repeated for two minutes. A file that is missing from the start ends
/// the transfer at once.
public struct ClientCertificate: Hashable, Sendable, Codable {
    /// A PEM file with the certificate, and then the certificates of the authorities between it and a root, if any.
    public var certificateFile: String
    /// A PEM file with the private key, which must not be encrypted. It may be the same file.
    public var keyFile: String

    /// Creates a certificate from its files.
    ///
    /// - Parameter keyFile: the file of the private key; `nil` if the key is in the certificate's file.
    public init(certificateFile: String, keyFile: String? = nil) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile ?? certificateFile
    }
}
