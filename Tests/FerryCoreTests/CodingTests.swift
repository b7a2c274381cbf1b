import FerryCore
import Foundation
import Testing

struct CodingTests {
    private static func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    @Test func everyStoredValueSurvivesARoundTrip() throws {
        let url = try HTTPURL(parsing: "https://u:p@h:1/ü?X-Amz-Signature=s#f")
        #expect(try Self.roundTrip(url) == url)
        let name = try FileName(userGiven: "e\u{301} \"x\"")
        #expect(try Self.roundTrip(name) == name)
        let tag = try #require(EntityTag("W/\"x\""))
        #expect(try Self.roundTrip(tag) == tag)
        let type = try #require(MediaType("text/html;a=b"))
        #expect(try Self.roundTrip(type) == type)
        let proxy = try Proxy(parsing: "socks5h://u:p@[::1]:9")
        #expect(try Self.roundTrip(proxy) == proxy)
        let validator = Validator(
            entityTag: tag,
            lastModified: "Sun Nov  6 08:49:37 1994",
            date: .epoch,
            receivedAt: .epoch
        )
        #expect(try Self.roundTrip(validator) == validator)
        for credentials in [Credentials.basic(user: "u", password: "p"), .bearer(token: "t")] {
            #expect(try Self.roundTrip(credentials) == credentials)
        }
    }

    @Test func aStoredValueThatBreaksTheRulesIsRefused() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([HTTPURL].self, from: Data(#"["ftp://h/"]"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([FileName].self, from: Data(#"["../x"]"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([EntityTag].self, from: Data(#"[""]"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([MediaType].self, from: Data(#"["x"]"#.utf8))
        }
    }
}
