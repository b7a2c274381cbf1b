extension IPAddress {
    /// Why no connection to an address can be made, in whatever network this machine is.
    public enum Impossibility: Hashable, Sendable {
        /// It stands for every machine of a network (RFC 919 §7, and the last address of the loopback network).
        case broadcast
        /// It stands for a group of machines (RFC 5771, RFC 4291 §2.7).
        case multicast
        /// It means another machine on each link, and a URL does not say which link (RFC 4291 §2.5.6).
        case linkLocal
    }

    /// Why no connection to this address can be made; `nil` where one may be.
    ///
    /// The last address of another network is not told: which one that is, only the network knows.
    public var impossibility: Impossibility? {
        // An IPv4 address in its IPv6 form (RFC 4291 §2.5.5.2).
        let mapped =
            isIPv6 && bytes.prefix(12).elementsEqual([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF])
        guard isIPv6, !mapped else {
            let numbers = Array(bytes.suffix(4))
            if numbers == [255, 255, 255, 255] || numbers == [127, 255, 255, 255] { return .broadcast }
            return (224...239).contains(numbers[0]) ? .multicast : nil
        }
        if bytes[0] == 0xFF { return .multicast }
        return bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 ? .linkLocal : nil
    }
}
