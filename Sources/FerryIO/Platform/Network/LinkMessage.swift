/// What the kernel says of one link (`struct ifinfomsg`).
struct LinkMessage: Hashable, Sendable {
    /// Its number.
    var link: Int
    /// Whether it is switched on, has a carrier, and may be used.
    var isRunning: Bool
    /// Whether what is sent over it comes back.
    var isLoopback: Bool

    /// The type of a message that tells of a link.
    static let type: UInt16 = 16
    /// The type of the question for it.
    static let question: UInt16 = 18

    /// Reads a message; `nil` when it is another one, or not whole.
    init?(_ message: NetlinkMessage) {
        let payload = message.payload[...]
        guard message.type == Self.type, let link = payload.number(at: 4, as: Int32.self),
            let flags = payload.number(at: 8, as: UInt32.self)
        else { return nil }
        self.link = Int(link)
        // Routes stay in their tables when a cable is pulled. The kernel notes that a link runs (IFF_RUNNING) up to a
        // second after its carrier is back (IFF_LOWER_UP), if that is all it waits for (IFF_DORMANT).
        let hasCarrier = flags & 0x3_0000 == 0x1_0000
        isRunning = flags & 0x1 != 0 && (flags & 0x40 != 0 || hasCarrier)
        isLoopback = flags & 0x8 != 0
    }

    /// The question for one link.
    static func question(for link: Int) -> [UInt8] {
        var bytes: [UInt8] = [0, 0, 0, 0]
        bytes.append(number: Int32(clamping: link))
        return bytes + [UInt8](repeating: 0, count: 8)
    }
}
