internal import FerryCore
internal import NIOSSL

/// Whether a certificate was issued for the host of a URL (RFC 9110 §4.3.4, RFC 9525).
///
/// NIOSSL checks the chain. It would check the name as well, but it also accepts a certificate for the address of the
/// connected socket, whatever name was requested. Anyone can get such a certificate for their own address. A server that
/// answers for a name, or a proxy in between, could then pass for the name. This type checks the name itself.
struct CertificateIdentity {
    /// Whether the certificate names any host. The common name does not count (RFC 9525 §2).
    var namesHosts: Bool { !names.isEmpty || !addresses.isEmpty }

    private let names: [[UInt8]]
    private let addresses: [[UInt8]]

    init(_ certificate: NIOSSLCertificate) {
        var (names, addresses): ([[UInt8]], [[UInt8]]) = ([], [])
        for name in certificate._subjectAlternativeNames() {
            if name.nameType == .dnsName { names.append(Array(name.contents)) }
            if name.nameType == .ipAddress { addresses.append(Array(name.contents)) }
        }
        (self.names, self.addresses) = (names, addresses)
    }

    init(names: [String], addresses: [[UInt8]]) {
        self.names = names.map { Array($0.utf8) }
        self.addresses = addresses
    }

    /// Whether the certificate is for `host`: a name, or an address without brackets.
    func covers(_ host: String) -> Bool {
        if let address = IPAddress(host) { return addresses.contains(address.bytes) }
        let host = Self.normalized(Array(host.utf8))
        return names.contains { Self.matches(Self.normalized($0), host) }
    }

    /// A star stands for the whole first label, and never for all names of a top-level domain.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ host: ArraySlice<UInt8>) -> Bool {
        if pattern == host { return true }
        guard pattern.starts(with: "*.".utf8) else { return false }
        let domain = pattern.dropFirst()
        guard domain.dropFirst().contains(UInt8(ascii: ".")) else { return false }
        guard let dot = host.firstIndex(of: UInt8(ascii: ".")), dot > host.startIndex else { return false }
        return host[dot...].elementsEqual(domain)
    }

    private static func normalized(_ name: [UInt8]) -> ArraySlice<UInt8> {
        let lower = name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        return lower.last == UInt8(ascii: ".") ? lower.dropLast() : lower[...]
    }
}

/// The certificate of a server is not for the requested host.
enum CertificateMismatch: Error {
    /// It is for another host.
    case otherName
    /// It names no host.
    case noName
}
