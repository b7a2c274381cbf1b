import FerryCore
import Testing

struct MirrorLinkTests {
    private func mirrors(_ fields: String..., of url: String = "https://h/dir/f.iso") throws -> [MirrorLink] {
        MirrorLink.mirrors(in: Link.links(in: fields), of: try HTTPURL(parsing: url))
    }

    @Test func theBestComesFirstAndOneWithoutAPriorityLast() throws {
        let mirrors = try mirrors(
            "<http://a/f>; rel=duplicate; geo=DE, <http://b/f>; rel=duplicate; pri=10, <http://c/f>; rel=duplicate",
            "<http://d/f>; rel=duplicate; pri=2; geo=jp, <http://e/f>; rel=duplicate; pri=10"
        )
        #expect(mirrors.map(\.url.host) == ["d", "b", "e", "a", "c"])
        #expect(mirrors.map(\.priority) == [2, 10, 10, 999_999, 999_999])
        #expect(mirrors.map(\.location) == ["jp", nil, nil, "de", nil])
    }

    @Test(arguments: ["0", "-1", "1000000", "99999999999999999999", "first", "", "1.5"])
    func aPriorityThatIsNoneIsTheLowest(priority: String) throws {
        let mirrors = try mirrors("<http://a/f>; rel=duplicate; pri=\"\(priority)\"")
        #expect(mirrors.map(\.priority) == [MirrorLink.lowestPriority])
    }

    @Test func referencesAreResolvedAndStrangeSchemesLeftOut() throws {
        let mirrors = try mirrors(
            "<../m/f.iso>; rel=duplicate, <//other/f>; rel=duplicate, <ftp://x/f>; rel=duplicate,"
                + "<javascript:x>; rel=duplicate, <http://>; rel=duplicate, <file:///etc/passwd>; rel=duplicate"
        )
        #expect(mirrors.map(\.url.absoluteString) == ["https://h/m/f.iso", "https://other/f"])
    }

    @Test func whatIsNoMirrorIsLeftOut() throws {
        let mirrors = try mirrors(
            "<http://a/f>; rel=next, <http://b/f>, <f.iso>; rel=duplicate, <f.iso#x>; rel=duplicate,"
                + "<http://c/f>; rel=duplicate; anchor=\"/other\", <http://d/f>; rel=duplicate; anchor=\"\","
                + "<http://u:p@e/f#x>; rel=duplicate, <http://e/f>; rel=duplicate; pri=1"
        )
        #expect(mirrors.map(\.url.absoluteString) == ["http://d/f", "http://e/f"])
    }

    @Test func thereAreBoundedlyMany() throws {
        let field = (0..<500).map { "<http://h\($0)/f>; rel=duplicate; pri=\(500 - $0)" }.joined(
            separator: ", "
        )
        let mirrors = try mirrors(field)
        #expect(mirrors.count == MirrorLink.most && mirrors[0].url.host == "h499")
    }
}
