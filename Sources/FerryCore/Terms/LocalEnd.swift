/// The local end of a connection, as ``ConnectionOptions/localAddress`` names it.
package enum LocalEnd: Hashable, Sendable {
    /// A local address.
    case address(IPAddress)
    /// A network interface.
    case interface(String)

    /// Maximum length of an interface's name, in bytes (`IFNAMSIZ` without its end).
    private static let longestName = 15

    /// Reads an address, which may have brackets, or the name of an interface; `nil` for what can be neither.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)[...]
        let hasBrackets = bytes.first == 0x5B && bytes.last == 0x5D
        if let address = IPAddress((hasBrackets ? bytes.dropFirst().dropLast() : bytes).text) {
            self = .address(address)
            return
        }
        // What Linux allows as a name, without the colon of an alias.
        guard (1...Self.longestName).contains(bytes.count), text != ".", text != "..",
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x2F && $0 != 0x3A })
        else { return nil }
        self = .interface(text)
    }
}
