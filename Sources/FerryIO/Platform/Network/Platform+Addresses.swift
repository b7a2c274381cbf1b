internal import CFerryPlatform
internal import FerryCore

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension Platform {
    /// Resolves a name like every program of this machine (getaddrinfo(3)).
    ///
    /// It may take as long as name servers take to answer.
    @Sendable static func lookUp(_ host: String) -> NameAnswer {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard result == 0 else { return result == EAI_NONAME ? .unknown : .failed }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr.flatMap({ address(at: $0) }), !addresses.contains(address) {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        return addresses.isEmpty ? .failed : .found(addresses)
    }

    private static func address(at name: UnsafeRawPointer) -> IPAddress? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = ferry_address(name, &bytes)
        return IPAddress(bytes: Array(bytes.prefix(Int(count))))
    }

    /// Whether the kernel would send packets to an address. It sends none to find out.
    static func canConnect(to address: IPAddress) -> Bool {
        ferry_has_route(address.bytes, Int32(address.bytes.count)) == 1
    }
}
