/// The kernel's message about one link (`struct ifinfomsg`).
struct LinkMessage: Hashable, Sendable {
    /// Its number.
    var link: Int
    /// Whether it is up, has a carrier, and may be used.
    var isRunning: Bool
    /// Whether it is a loopback link.
    var isLoopback: Bool

    /// The type of a message about a link.
    static let type: UInt16 = 16
    /// The type of the request for it.
    static let question: UInt16 = 18

    /// Reads a message; `nil` when it has another type or is incomplete.
    init?(_ message: NetlinkMessage) {
        let payload = message.payload[...]
        guard message.type == Self.type, let link = payload.number(at: 4, as: Int32.self),
            let flags = payload.number(at: 8, as: UInt32.self)
        else { return nil }
        self.link = Int(link)
        // Routes stay in their tables when a cable is pulled. The kernel sets IFF_RUNNING up to a second
        // after the carrier is back (IFF_LOWER_UP), unless the link also waits for something else
        // (IFF_DORMANT).
        let hasCarrier = flags & 0x3_0000 == 0x1_0000
        isRunning = flags & 0x1 != 0 && (flags & 0x40 != 0 || hasCarrier)
        isLoopback = flags & 0x8 != 0
    }

    /// The request for one link.
    static func question(for link: Int) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0]
        bytes.append(number: Int32(clamping: link))
        return bytes + [UInt8](repeating: 0, count: 8)
    }
}
