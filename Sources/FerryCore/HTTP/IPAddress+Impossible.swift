extension IPAddress {
    /// Why no connection to an address is possible, on any network.
    package enum Impossibility: Hashable, Sendable {
        /// It addresses every machine of a network (RFC 919 §7, and the last address of the loopback network).
        case broadcast
        /// It addresses a group of machines (RFC 5771, RFC 4291 §2.7).
        case multicast
        /// It addresses another machine on each link, and a URL does not name the link (RFC 4291 §2.5.6).
        case linkLocal
    }

    /// Why no connection to this address is possible; `nil` if one may be.
    ///
    /// The broadcast address of another network is not recognised, because only that network knows it.
    package var impossibility: Impossibility? {
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
