/// The part of a URL between `//` and the path: `[userinfo@]host[:port]` (RFC 3986 §3.2).
struct Authority: Hashable, Sendable {
    /// The user, percent-encoded; `nil` when there is no userinfo.
    var user: String?
    /// The password, percent-encoded; `nil` when there is none.
    var password: String?
    /// The host in lower case; an IPv6 address is canonical and has no brackets.
    var host: String
    /// The port; `nil` when none is given.
    var port: Int?

    /// An authority of only a host in lower case.
    init(host: String) {
        self.host = host
    }

    /// Reads an authority.
    ///
    /// - Throws: ``HTTPURL/ParseError`` when there is no host, or a part of it is malformed.
    init(parsing bytes: ArraySlice<UInt8>) throws(HTTPURL.ParseError) {
        // Browsers read a backslash as a slash: they would take for the host what is a user here.
        guard !bytes.contains(0x5C) else { throw .invalidHost }
        var rest = bytes
        // The last "@" ends the userinfo, so that a password with a bare "@" never becomes a part of the host.
        if let at = rest.lastIndex(of: 0x40) {
            (user, password) = try Self.userinfo(rest[..<at])
            rest = rest[(at + 1)...]
        }
        let portText: ArraySlice<UInt8>
        if rest.first == 0x5B {
            guard let end = rest.firstIndex(of: 0x5D) else { throw .invalidHost }
            guard let address = IPAddress(rest[(rest.startIndex + 1)..<end].text), address.isIPv6 else {
                throw .invalidHost
            }
            host = address.description
            portText = rest[(end + 1)...]
            guard portText.isEmpty || portText.first == 0x3A else { throw .invalidHost }
        } else {
            let end = rest.firstIndex(of: 0x3A) ?? rest.endIndex
            host = try Self.registeredName(rest[..<end])
            portText = rest[end...]
        }
        port = try Self.port(portText.dropFirst())
    }

    private static func userinfo(
        _ bytes: ArraySlice<UInt8>
    ) throws(HTTPURL.ParseError) -> (user: String?, password: String?) {
        guard !bytes.isEmpty else { return (nil, nil) }
        // An escaped control character could break out of a header or a log line once it is decoded.
        guard !PercentEncoding.decoded(bytes).contains(where: \.isControl) else { throw .invalidUserinfo }
        let colon = bytes.firstIndex(of: 0x3A)
        let user = PercentEncoding.encoded(bytes[..<(colon ?? bytes.endIndex)], allowing: isAllowedInUserinfo)
        let password = colon.map {
            PercentEncoding.encoded(bytes[($0 + 1)...], allowing: { isAllowedInUserinfo($0) || $0 == 0x3A })
        }
        return (user, password)
    }

    /// `unreserved` and `sub-delims` (RFC 3986 §3.2.1).
    private static func isAllowedInUserinfo(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x24, 0x26...0x2C, 0x3B, 0x3D: true
        default: byte.isUnreserved
        }
    }

    /// A DNS name or IPv4 address; stricter than `reg-name` (RFC 3986 §3.2.2), as no resolver takes escapes.
    private static func registeredName(_ bytes: ArraySlice<UInt8>) throws(HTTPURL.ParseError) -> String {
        guard !bytes.isEmpty else { throw .missingHost }
        guard bytes.allSatisfy({ $0 < 0x80 }) else { throw .nonASCIIHost }
        guard bytes.allSatisfy(\.isUnreserved), bytes.count <= 254 else { throw .invalidHost }
        var label = 0
        for byte in bytes.last == 0x2E ? bytes.dropLast() : bytes {
            guard byte != 0x2E || label > 0, label <= 63 else { throw .invalidHost }
            label = byte == 0x2E ? 0 : label + 1
        }
        guard (1...63).contains(label) else { throw .invalidHost }
        return bytes.lowercasedASCIIText
    }

    private static func port(_ digits: ArraySlice<UInt8>) throws(HTTPURL.ParseError) -> Int? {
        guard !digits.isEmpty else { return nil }
        guard let number = DecimalNumber(digits)?.fitting, (1...65535).contains(number) else {
            throw .invalidPort
        }
        return Int(number)
    }
}
