import FerryCore
import FerryTesting
import Testing

@testable import FerryIO

@Suite("The kernel's messages about routes")
struct NetlinkTests {
    private static let v4 = IPAddress("192.0.2.7")
    private static let v6 = IPAddress("2001:db8::7")

    /// A route as `struct rtmsg` has it: family, prefix, type and attributes.
    private static func route(
        family: UInt8 = IPAddress.family4,
        prefix: UInt8 = 32,
        type: UInt8 = 1,
        _ attributes: [UInt8]...
    ) -> NetlinkMessage {
        let header = [family, prefix, 0, 0, 254, 0, 0, type] + [UInt8](repeating: 0, count: 4)
        return NetlinkMessage(
            type: RouteMessage.type,
            sequence: 5,
            payload: header + attributes.flatMap { $0 }
        )
    }

    private static func number(_ value: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: value)
        return bytes
    }

    @Test func aMessageIsReadAsItWasWritten() {
        for length in 0..<9 {
            let message = NetlinkMessage(
                type: 26,
                flags: 0x301,
                sequence: 77,
                payload: [UInt8](repeating: 9, count: length)
            )
            #expect(NetlinkMessage.messages(in: message.bytes) == [message])
        }
    }

    @Test func severalMessagesOfADatagramAreReadUpToTheFirstThatIsNotWhole() {
        let messages = (1...3).map {
            NetlinkMessage(type: 24, sequence: UInt32($0), payload: [1, 2, 3, 4])
        }
        let bytes = messages.flatMap(\.bytes)
        #expect(NetlinkMessage.messages(in: bytes) == messages)
        for cut in 0..<bytes.count {
            let read = NetlinkMessage.messages(in: Array(bytes.prefix(cut)))
            #expect(read == Array(messages.prefix(cut / 20)), "cut at \(cut)")
        }
    }

    @Test func aRouteIsReadWithAllThatItNames() throws {
        let message = Self.route(
            NetlinkMessage.attribute(1, Self.v4?.bytes ?? []),
            NetlinkMessage.attribute(5, [192, 0, 2, 1]),
            NetlinkMessage.attribute(7, [192, 0, 2, 2]),
            NetlinkMessage.attribute(4, Self.number(3))
        )
        let route = try #require(RouteMessage(message))
        #expect(route.kind == .unicast && route.prefixLength == 32 && route.destination == Self.v4)
        #expect(route.gateway == IPAddress("192.0.2.1") && route.source == IPAddress("192.0.2.2"))
        #expect(route.links == [3])
    }

    @Test func aRouterMayBeOfTheOtherFamily() throws {
        var via: [UInt8] = []
        via.append(number: UInt16(IPAddress.family6))
        let message = Self.route(
            NetlinkMessage.attribute(1, Self.v4?.bytes ?? []),
            NetlinkMessage.attribute(18, via + (Self.v6?.bytes ?? []))
        )
        #expect(try #require(RouteMessage(message)).gateway == Self.v6)
    }

    @Test func theLoadMayBeSpreadOverSeveralLinks() throws {
        func hop(_ link: Int32) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.append(number: UInt16(8))
            return bytes + [0, 0] + Self.number(link)
        }
        let message = Self.route(prefix: 0, NetlinkMessage.attribute(9, hop(4) + hop(7)))
        let route = try #require(RouteMessage(message))
        #expect(route.links == [4, 7] && route.prefixLength == 0 && route.destination == nil)
    }

    static let kinds: [(UInt8, RouteMessage.Kind)] = [
        (1, .unicast), (2, .local), (3, .group), (5, .group), (6, .other), (7, .other), (8, .other),
    ]

    @Test(arguments: kinds)
    func onlySomeKindsOfRoutesLeadAnywhere(type: UInt8, kind: RouteMessage.Kind) throws {
        #expect(try #require(RouteMessage(Self.route(type: type))).kind == kind)
    }

    @Test func anAddressOfAnotherLengthIsNone() throws {
        for length in [0, 3, 5, 16] {
            let message = Self.route(NetlinkMessage.attribute(1, [UInt8](repeating: 1, count: length)))
            #expect(try #require(RouteMessage(message)).destination == nil)
        }
    }

    static let flags: [(UInt32, Bool, Bool)] = [
        (0x0, false, false), (0x1, false, false), (0x40, false, false), (0x41, true, false),
        (0x49, true, true), (0x1003, false, false), (0x1_1043, true, false), (0x1_1003, true, false),
        (0x1_1002, false, false), (0x3_1003, false, false),
    ]

    @Test(arguments: flags)
    func aLinkWorksWhenItIsOnAndHasACarrier(flags: UInt32, isRunning: Bool, isLoopback: Bool) throws {
        var payload = [UInt8](repeating: 0, count: 4) + Self.number(12)
        payload.append(number: flags)
        let message = NetlinkMessage(type: LinkMessage.type, payload: payload)
        let link = try #require(LinkMessage(message))
        #expect(link.link == 12 && link.isRunning == isRunning && link.isLoopback == isLoopback)
    }

    @Test func anErrorTellsItsNumber() {
        #expect(NetlinkMessage(type: 2, payload: Self.number(-101)).errorNumber == 101)
        #expect(NetlinkMessage(type: 2, payload: Self.number(0)).errorNumber == 0)
        #expect(NetlinkMessage(type: 2, payload: Self.number(.min)).errorNumber == .max)
        #expect(NetlinkMessage(type: 2, payload: []).errorNumber == nil)
        #expect(NetlinkMessage(type: 3, payload: Self.number(-101)).errorNumber == nil)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func whateverTheBytesAreNothingIsReadBeyondThem(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let whole = Self.route(
            NetlinkMessage.attribute(1, Self.v4?.bytes ?? []),
            NetlinkMessage.attribute(9, [8, 0, 0, 0, 1, 0, 0, 0]),
            NetlinkMessage.attribute(18, [10, 0] + (Self.v6?.bytes ?? []))
        ).bytes
        for _ in 0..<20_000 {
            var bytes = whole + whole
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                // Lengths are what can lead astray, and they are small numbers or huge ones.
                let value = [UInt8(0), 1, 3, 4, 5, 8, 16, 17, 127, 128, 255].randomElement(using: &random)
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = value ?? 0
            }
            let cut = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            let messages = NetlinkMessage.messages(in: cut)
            #expect(messages.reduce(0) { $0 + NetlinkMessage.headerLength + $1.payload.count } <= cut.count)
            for message in messages {
                let route = RouteMessage(message)
                #expect(route.map { $0.links.count <= message.payload.count / 8 } ?? true)
                _ = LinkMessage(message)
                for (_, value) in message.attributes(from: 12) {
                    #expect(value.count <= message.payload.count - 16)
                }
            }
        }
    }
}
