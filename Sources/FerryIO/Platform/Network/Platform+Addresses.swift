internal import FerryCore
internal import SystemPackage

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension Platform {
    /// The addresses of a host by the system's resolver; empty when its name does not resolve.
    ///
    /// It may take as long as name servers take to answer.
    static func addresses(of host: String) -> [IPAddress] {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr.flatMap({ address(at: $0) }), !addresses.contains(address) {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        return addresses
    }

    private static func address(at pointer: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { IPAddress(bytes: Array($0)) }
            }
        case AF_INET6:
            pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { IPAddress(bytes: Array($0)) }
            }
        default: nil
        }
    }

    /// Whether the kernel would send packets to an address. It sends none to find out.
    static func canConnect(to address: IPAddress) -> Bool {
        let family = address.isIPv6 ? AF_INET6 : AF_INET
        #if canImport(Glibc)
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let type = SOCK_DGRAM
        #endif
        let raw = socket(family, type, 0)
        guard raw >= 0 else { return false }
        defer { close(FileDescriptor(rawValue: raw)) }
        // The discard port (RFC 863): connecting a datagram socket only chooses its route.
        let port = in_port_t(9).bigEndian
        if address.isIPv6 {
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_port = port
            withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: address.bytes) }
            return connect(raw, name)
        }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port
        withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: address.bytes) }
        return connect(raw, name)
    }

    private static func connect<Name>(_ raw: Int32, _ name: Name) -> Bool {
        withUnsafeBytes(of: name) { bytes in
            guard let base = bytes.baseAddress else { return false }
            return systemConnect(
                raw,
                base.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<Name>.size)
            ) == 0
        }
    }

    private static let systemConnect: @Sendable (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32 = {
        #if canImport(Darwin)
        Darwin.connect($0, $1, $2)
        #elseif canImport(Glibc)
        Glibc.connect($0, $1, $2)
        #else
        Musl.connect($0, $1, $2)
        #endif
    }
}
