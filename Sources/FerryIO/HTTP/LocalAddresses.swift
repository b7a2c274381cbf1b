internal import FerryCore
internal import NIOCore

/// The local addresses from which connections are made, if the system does not choose.
struct LocalAddresses: Sendable {
    /// One for each usable family; `nil` leaves the choice to the system.
    private let addresses: [IPAddress]?

    /// Finds the requested addresses.
    ///
    /// - Throws: ``OpeningFailure`` when there is no such interface, or it has no address.
    init(_ path: WireKey.Path) throws {
        switch path.localAddress.flatMap({ LocalEnd($0) }) {
        case nil: addresses = nil
        case .address(let address)?: addresses = [address]
        case .interface(let name)?:
            addresses = try Self.addresses(of: name)
        }
    }

    /// The address to connect from; `nil` leaves the choice to the system.
    func source(for target: IPAddress) -> IPAddress? {
        addresses?.first { $0.family == target.family }
    }

    /// Whether there is an address from which to connect to another one.
    func canReach(_ target: IPAddress) -> Bool { addresses == nil || source(for: target) != nil }

    private static func addresses(of name: String) throws -> [IPAddress] {
        var found: [IPAddress] = []
        for device in try System.enumerateDevices() where device.name == name {
            guard let address = device.address?.ipAddress.flatMap({ IPAddress($0) }),
                address.impossibility == nil, !found.contains(where: { $0.family == address.family })
            else { continue }
            found.append(address)
        }
        guard !found.isEmpty else { throw OpeningFailure.noInterface }
        return found
    }
}
