import FerryTesting
import Testing

@testable import FerryCore

/// The negotiation with a SOCKS proxy, byte by byte (RFC 1928, RFC 1929, SOCKS 4 and 4a).
@Suite("A negotiation with a SOCKS proxy")
struct SOCKSNegotiationTests {
    typealias Step = SOCKSNegotiation.Step

    /// What a proxy sends, and what has to follow.
    struct Sample: CustomTestStringConvertible {
        var testDescription: String
        var proxy: String
        var host = "h"
        var port = 80
        var address: String?
        var start: [UInt8]
        var received: [UInt8]
        var steps: [Step]
        var fault: SOCKSFault?
        /// What belongs to the tunnel.
        var rest: [UInt8] = []

        func negotiation() throws -> SOCKSNegotiation {
            try SOCKSNegotiation(
                Proxy(parsing: proxy),
                to: host,
                port: port,
                address: address.map { try #require(IPAddress($0)) }
            )
        }
    }

    private static let nameRequest: [UInt8] = [5, 1, 0, 3, 1, 0x68, 0, 80]
    private static let addressRequest: [UInt8] = [5, 1, 0, 1, 10, 0, 0, 7, 0x1F, 0x90]
    private static let granted: [UInt8] = [5, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    private static let login: [UInt8] = [1, 1, 0x75, 2, 0x70, 0x77]

    static let samples: [Sample] =
        [
            Sample(
                testDescription: "5, name",
                proxy: "socks5h://p",
                start: [5, 1, 0],
                received: [5, 0] + granted,
                steps: [.send(nameRequest), .established]
            ),
            Sample(
                testDescription: "5, address, and bytes of the tunnel",
                proxy: "socks5://p",
                port: 8080,
                address: "10.0.0.7",
                start: [5, 1, 0],
                received: [5, 0] + granted + [5, 1, 2],
                steps: [.send(addressRequest), .established],
                rest: [5, 1, 2]
            ),
            Sample(
                testDescription: "5, IPv6 as the host, a name in the reply",
                proxy: "socks5h://p",
                host: "2001:db8::1",
                port: 443,
                start: [5, 1, 0],
                received: [5, 0, 5, 0, 0, 3, 3, 0x61, 0x62, 0x63, 1, 2, 9],
                steps: [
                    .send(
                        [5, 1, 0, 4, 0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x01, 0xBB]
                    ), .established,
                ],
                rest: [9]
            ),
            Sample(
                testDescription: "5, an empty name and an IPv6 address in replies",
                proxy: "socks5h://p",
                start: [5, 1, 0],
                received: [5, 0, 5, 0, 0xFF, 3, 0, 1, 2],
                steps: [.send(nameRequest), .established]
            ),
            Sample(
                testDescription: "5, IPv6 in the reply",
                proxy: "socks5h://p",
                start: [5, 1, 0],
                received: [5, 0, 5, 0, 0, 4] + [UInt8](repeating: 7, count: 18) + [8],
                steps: [.send(nameRequest), .established],
                rest: [8]
            ),
            Sample(
                testDescription: "5, login",
                proxy: "socks5h://u:pw@p",
                start: [5, 2, 0, 2],
                received: [5, 2, 1, 0] + granted,
                steps: [.send(login), .send(nameRequest), .established]
            ),
            Sample(
                testDescription: "5, login with an empty password, answered with version 5",
                proxy: "socks5h://u:@p",
                start: [5, 2, 0, 2],
                received: [5, 2, 5, 0] + granted,
                steps: [.send([1, 1, 0x75, 0]), .send(nameRequest), .established]
            ),
            Sample(
                testDescription: "5, credentials that are not needed",
                proxy: "socks5h://u:pw@p",
                start: [5, 2, 0, 2],
                received: [5, 0] + granted,
                steps: [.send(nameRequest), .established]
            ),
            Sample(
                testDescription: "5, refused login",
                proxy: "socks5h://u:pw@p",
                start: [5, 2, 0, 2],
                received: [5, 2, 1, 9],
                steps: [.send(login)],
                fault: .loginRefused
            ),
            Sample(
                testDescription: "4",
                proxy: "socks4://p",
                address: "10.0.0.7",
                start: [4, 1, 0, 80, 10, 0, 0, 7, 0],
                received: [0, 90, 1, 2, 3, 4, 5, 6, 7],
                steps: [.established],
                rest: [7]
            ),
            Sample(
                testDescription: "4, user",
                proxy: "socks4://us:pw@p",
                host: "10.0.0.7",
                port: 8080,
                start: [4, 1, 0x1F, 0x90, 10, 0, 0, 7, 0x75, 0x73, 0],
                received: [0, 90, 0, 0, 0, 0, 0, 0],
                steps: [.established]
            ),
            Sample(
                testDescription: "4a, user",
                proxy: "socks4a://u@p",
                start: [4, 1, 0, 80, 0, 0, 0, 1, 0x75, 0, 0x68, 0],
                received: [0, 90, 0, 0, 0, 0, 0, 0],
                steps: [.established]
            ),
            Sample(
                testDescription: "4a, address",
                proxy: "socks4a://p",
                host: "10.0.0.7",
                start: [4, 1, 0, 80, 10, 0, 0, 7, 0],
                received: [0, 90, 0, 0, 0, 0, 0, 0],
                steps: [.established]
            ),
        ] + failures

    /// What a proxy without credentials sends, and the fault.
    private static let failures: [Sample] = {
        let greetings: [(String, String, [UInt8], SOCKSFault)] = [
            ("socks5h", "HTTP", Array("HTTP/1.1 400 Bad Request\r\n".utf8), .speaksHTTP),
            ("socks4a", "HTTP", Array("HTTP/1.1 400 Bad Request\r\n".utf8), .speaksHTTP),
            ("socks5h", "SSH", Array("SSH-2.0\r\n".utf8), .notSOCKS),
            ("socks5h", "SOCKS 4", [0, 91, 0, 0, 0, 0, 0, 0], .otherVersion),
            ("socks4a", "SOCKS 5", [5, 0xFF], .otherVersion),
            ("socks5h", "no method", [5, 0xFF], .loginNeeded),
            ("socks5h", "login unasked", [5, 2], .loginNeeded),
            ("socks5h", "GSSAPI unasked", [5, 1], .noAcceptableMethod),
            ("socks5h://u:p@p", "no method", [5, 0xFF], .noAcceptableMethod),
            ("socks4a", "91", [0, 91], .rejected),
            ("socks4a", "92", [0, 92, 0, 0], .identityUnavailable),
            ("socks4a", "93", [0, 93, 0, 0, 0, 0, 0, 0], .identityRefused),
            ("socks4a", "0", [0, 0, 0, 0, 0, 0, 0, 0], .unknownReply(0)),
        ]
        let replies: [([UInt8], SOCKSFault)] = [
            ([5, 1], .generalFailure), ([5, 2, 0, 1], .notAllowed), ([5, 3], .networkUnreachable),
            ([5, 4], .hostUnreachable), ([5, 5], .connectionRefused), ([5, 6], .timeToLiveExpired),
            ([5, 7], .commandNotSupported), ([5, 8], .addressTypeNotSupported), ([5, 9], .unknownReply(9)),
            ([5, 0xFF, 0, 3, 255], .unknownReply(0xFF)), ([5, 0, 0, 2], .unknownAddressType),
            ([5, 0, 0, 0], .unknownAddressType), ([4, 0], .otherVersion), ([1], .notSOCKS),
        ]
        return greetings.map { scheme, name, bytes, fault in
            let isOld = scheme.hasPrefix("socks4")
            let hasLogin = scheme.contains("@")
            return Sample(
                testDescription: "\(scheme), \(name)",
                proxy: hasLogin ? scheme : "\(scheme)://p",
                start: isOld ? [4, 1, 0, 80, 0, 0, 0, 1, 0, 0x68, 0] : hasLogin ? [5, 2, 0, 2] : [5, 1, 0],
                received: bytes,
                steps: [],
                fault: fault
            )
        }
            + replies.map { bytes, fault in
                Sample(
                    testDescription: "reply \(bytes)",
                    proxy: "socks5h://p",
                    start: [5, 1, 0],
                    received: [5, 0] + bytes,
                    steps: [.send(nameRequest)],
                    fault: fault
                )
            }
    }()

    /// All steps apart from waits, the fault, and what is left.
    private static func outcome(
        of negotiation: SOCKSNegotiation,
        _ pieces: [[UInt8]]
    ) -> (steps: [Step], fault: SOCKSFault?, rest: [UInt8]) {
        var negotiation = negotiation
        var (steps, rest) = ([Step](), [UInt8]())
        do throws(SOCKSFault) {
            for piece in pieces {
                rest += piece
                while steps.last != .established {
                    let step = try negotiation.receive(&rest)
                    if step == .wait { break }
                    steps.append(step)
                }
            }
            return (steps, nil, rest)
        } catch {
            #expect(throws: error) { try negotiation.receive(&rest) }
            #expect(negotiation.closed() == error)
            return (steps, error, [])
        }
    }

    @Test("every cut of a sample gives the same steps", arguments: samples)
    func cuts(_ sample: Sample) throws {
        let negotiation = try sample.negotiation()
        #expect(negotiation.start() == sample.start)
        let bytes = sample.received
        var cuts = [[bytes], bytes.map { [$0] }]
        for first in 0...bytes.count {
            for second in first...bytes.count {
                cuts.append([Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...])])
            }
        }
        for cut in cuts {
            let outcome = Self.outcome(of: negotiation, cut)
            #expect(outcome.steps == sample.steps)
            #expect(outcome.fault == sample.fault)
            #expect(outcome.rest == sample.rest)
        }
    }

    @Test("an early end of the connection is a fault at every place", arguments: samples)
    func closes(_ sample: Sample) throws {
        for count in 0...sample.received.count {
            var negotiation = try sample.negotiation()
            var bytes = Array(sample.received.prefix(count))
            var step = Step.wait
            do throws(SOCKSFault) {
                repeat { step = try negotiation.receive(&bytes) } while step != .wait && step != .established
                #expect(negotiation.closed() == (step == .established ? nil : .closedEarly))
                if step == .wait { #expect(bytes.isEmpty) }
            } catch {
                #expect(negotiation.closed() == error)
            }
        }
    }

    @Test("damaged bytes never trap, and give the same however they are cut", arguments: UInt64(0)..<20)
    func damage(seed: UInt64) throws {
        var damage = SeedMutation(seed: seed)
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            let (one, other) = (try #require(Self.samples.randomElement(using: &random)), Self.samples)
            let source = try #require(other.randomElement(using: &random)).received
            let bytes = damage.damaged(one.received, with: source)
            let negotiation = try one.negotiation()
            let whole = Self.outcome(of: negotiation, [bytes])
            let single = Self.outcome(of: negotiation, bytes.map { [$0] })
            #expect(whole.steps == single.steps && whole.fault == single.fault, "seed \(seed): \(bytes)")
            #expect(whole.rest == single.rest, "seed \(seed): \(bytes)")
        }
    }

    private static let long = String(repeating: "a", count: 256)

    @Test(
        "what cannot be asked for is refused before a byte leaves",
        arguments: [
            ("socks5h", "u", long, 80, nil, SOCKSFault.invalidTarget),
            ("socks4a", "u", long, 80, nil, .invalidTarget),
            ("socks4a", "u", "a\0b", 80, nil, .invalidTarget), ("socks5h", "u", "", 80, nil, .invalidTarget),
            ("socks5h", "u", "h", 0, nil, .invalidTarget), ("socks5h", "u", "h", 65_536, nil, .invalidTarget),
            ("socks4", "u", "h", 80, "0.0.0.9", .invalidTarget), ("socks4", "u", "h", 80, nil, .noAddress),
            ("socks5", "u", "h", 80, nil, .noAddress), ("socks4", "u", "h", 80, "::1", .noIPv4Address),
            ("socks4a", "u", "::1", 80, nil, .noIPv4Address),
            ("socks5h", long, "h", 80, nil, .invalidCredentials),
            ("socks4a", long, "h", 80, nil, .invalidCredentials),
            ("socks4a", "u\0", "h", 80, nil, .invalidCredentials),
        ] as [(String, String, String, Int, String?, SOCKSFault)]
    )
    func impossible(
        scheme: String,
        user: String,
        host: String,
        port: Int,
        address: String?,
        fault: SOCKSFault
    ) throws {
        let proxy = Proxy(
            scheme: try #require(Proxy.Scheme(rawValue: scheme)),
            host: "p",
            port: 1,
            credentials: .basic(user: user, password: "")
        )
        let address = address.flatMap { IPAddress($0) }
        #expect(throws: fault) {
            try SOCKSNegotiation(proxy, to: host, port: port, address: address)
        }
    }

    @Test("the longest names and passwords are sent whole, and a token is refused")
    func credentials() throws {
        let text = String(repeating: "a", count: 255)
        let bytes = Array(text.utf8)
        func negotiation(_ credentials: Credentials) throws -> SOCKSNegotiation {
            let proxy = Proxy(scheme: .socks5h, host: "p", port: 1, credentials: credentials)
            return try SOCKSNegotiation(proxy, to: text, port: 1, address: nil)
        }
        let outcome = Self.outcome(
            of: try negotiation(.basic(user: text, password: text)),
            [[5, 2, 1, 0]]
        )
        #expect(
            outcome.steps == [
                .send([1, 255] + bytes + [255] + bytes), .send([5, 1, 0, 3, 255] + bytes + [0, 1]),
            ]
        )
        #expect(throws: SOCKSFault.tokenCredentials) { try negotiation(.bearer(token: "t")) }
    }

    @Test("says who can mend a fault, in one line")
    func subjects() {
        let faults = Self.samples.compactMap(\.fault)
        #expect(Set(faults).count > 20)
        for fault in faults {
            #expect(!fault.explanation.isEmpty && !fault.explanation.contains("\n"))
        }
        #expect(SOCKSFault.loginNeeded.subject == .credentials)
        #expect(SOCKSFault.loginRefused.subject == .credentials)
        #expect(SOCKSFault.hostUnreachable.subject == .target)
        #expect(SOCKSFault.connectionRefused.subject == .target)
        #expect(SOCKSFault.notAllowed.subject == .proxy)
        #expect(SOCKSFault.noIPv4Address.subject == .request)
    }
}
