import FerryCore
import Testing

struct LinkTests {
    @Test func readsTheExamplesOfTheRFC() throws {
        let links = Link.links(in: [
            #"<http://www2.example.com/example.ext>; rel=duplicate; pri=1; geo=jp; pref,"#
                + #" <example.ext.asc>; rel=describedby; type="application/pgp-signature""#,
            #"</a,b>; REL="next Duplicate"; title="a, <b>; \"c\"""#,
        ])
        #expect(links.map(\.target) == ["http://www2.example.com/example.ext", "example.ext.asc", "/a,b"])
        #expect(links[0].relations == ["duplicate"] && links[0].parameter("pri") == "1")
        #expect(links[0].parameter("pref") == "" && links[0].parameter("none") == nil)
        #expect(links[1].parameter("type") == "application/pgp-signature")
        #expect(links[2].relations == ["next", "duplicate"])
        #expect(links[2].parameter("title") == #"a, <b>; "c""#)
    }

    @Test(
        arguments: [
            ("", 0), (",, ,", 0), ("x", 0), ("<a", 0), ("<a>", 1), ("<a>,<b>", 2), ("x, <a>", 1), ("<>", 1),
            ("\"<x>, \" , <a>", 1), ("<a>; rel=\"unclosed, <b>", 1), ("<a>;;;rel=x , <b>", 2),
            ("<a> junk, <b>", 2),
            ("<a>; =x; rel=y", 1), ("<a>;rel", 1), ("<a>;rel=", 1), ("<a>; rel = x", 1),
        ] as [(String, Int)]
    )
    func skipsWhatIsNoLink(field: String, count: Int) {
        #expect(Link.links(in: [field]).count == count)
    }

    @Test func theFirstRelationCounts() {
        #expect(Link.links(in: ["<a>; rel=next; rel=duplicate"])[0].relations == ["next"])
    }

    @Test func thereAreBoundedlyMany() {
        let field = Array(repeating: "<a>", count: 5000).joined(separator: ",")
        #expect(Link.links(in: [field, field]).count == Link.most)
    }

    @Test func aFieldOfBeginningsIsWalkedOverOnce() {
        // Half a million octets, each of which would be looked at for every beginning before it.
        #expect(Link.links(in: [String(repeating: "<,", count: 250_000)]).isEmpty)
        #expect(Link.links(in: [String(repeating: "<,", count: 250_000) + "<a>"]).count == 1)
    }
}
