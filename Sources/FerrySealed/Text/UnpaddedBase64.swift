internal import FerryCore

/// Base64 without padding, in the one canonical form of each value (RFC 4648 §3.5 and §4), as headers of age have it.
enum UnpaddedBase64 {
    /// The octets in base64.
    static func encoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
        Array(Base64.encoded(bytes).utf8.prefix { $0 != 0x3D })
    }

    /// The octets; `nil` for padding, for any other character, and for a text that no encoder writes.
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard let bytes = Base64.decoded(text), encoded(bytes).elementsEqual(text) else { return nil }
        return bytes
    }
}
