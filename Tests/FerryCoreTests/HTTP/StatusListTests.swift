import FerryCore
import Testing

@Suite("Status codes as a person writes them")
struct StatusListTests {
    @Test(arguments: [
        ("404", "404"), (" 409 ,404", "404,409"), ("500-599", "500-599"), ("500,501,502,404", "404,500-502"),
        ("410,409", "409,410"), ("404,404", "404"), ("400-403", "400,402,403"), ("503-503", "503"),
    ])
    func isReadAndWritten(_ text: String, _ written: String) throws {
        let list = try StatusList(parsing: text)
        #expect(list.description == written)
        #expect(try StatusList(parsing: list.description) == list)
    }

    @Test func aRangeLeavesOutWhatAsksForCredentials() throws {
        let list = try StatusList(parsing: "400-599")
        #expect(list.statuses == Set(400...599).subtracting([401, 407]))
    }

    @Test(arguments: [
        ("", StatusList.ParseError.malformed), ("x", .malformed), ("399", .malformed), ("600", .malformed),
        ("200", .malformed), ("404,", .malformed), ("404;409", .malformed), ("-404", .malformed),
        ("404-", .malformed), ("0404", .malformed), ("+404", .malformed), ("399-405", .malformed),
        ("404 - 409", .malformed), ("409-404", .reversed(409, 404)), ("401", .needsCredentials(401)),
        ("404,407", .needsCredentials(407)),
    ])
    func nothingElseIsRead(_ text: String, _ error: StatusList.ParseError) {
        #expect(throws: error) { try StatusList(parsing: text) }
        #expect(error.description.hasSuffix("."))
    }
}
