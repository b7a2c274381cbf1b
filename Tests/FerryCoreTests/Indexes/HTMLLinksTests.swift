import Testing

@testable import FerryCore

@Suite("Links of HTML pages")
struct HTMLLinksTests {
    private func links(_ page: String) -> [HTMLLinks.Link] { Array(HTMLLinks(Array(page.utf8))) }

    private func targets(_ page: String) -> [String] { links(page).map(\.target) }

    @Test(
        "an href is read however it is written",
        arguments: [
            "<a href=\"x y\">", "<A HREF='x y'>", "<a\n\thref = \"x y\" class=b>", "<a class href=\"x y\"/>",
            "<a b=c href=\"x y\" href=\"second\">", "<a title=\"a > b\" href=\"x y\">", "<a =b href='x y'>",
            "<p <a href='no'><a href=\"x y\"", "<a href=\"x&#32;y\">", "<a href=\"x&#x20;y\">",
        ]
    )
    func attributes(_ page: String) {
        #expect(targets(page) == ["x y"])
    }

    @Test(
        "what only looks like a link is none",
        arguments: [
            "<a>", "<a name=x>", "<ahref=x>", "<abbr href=x>", "< a href=x>", "</a href=x>",
            "<!-- <a href=x> -->",
            "<script><a href=x></script>", "<STYLE><a href=x></STYLE>", "<script><a href=x>",
            "<!--<a href=x>",
            "<", "<a", "&lt;a href=x&gt;", "<!doctype a href=x>", "<?a href=x?>", "<a hreflang=x>", "",
        ]
    )
    func noLinks(_ page: String) {
        #expect(links(page).isEmpty)
    }

    @Test(
        "character references",
        arguments: [
            ("a&amp;b", "a&b"), ("&lt;&gt;&quot;&apos;&#39;", "<>\"''"), ("&amp;lt;", "&lt;"), ("&;", "&;"),
            ("&unknown;", "&unknown;"), ("a&b;c", "a&b;c"), ("&#0;", "&#0;"), ("&#xD800;", "&#xD800;"),
            ("&#x1F600;", "\u{1F600}"), ("&#+65;", "&#+65;"), ("&#x;", "&#x;"),
            ("&#99999999999;", "&#99999999999;"),
            ("&amp", "&amp"), ("x?a=1&copy=2", "x?a=1&copy=2"),
        ]
    )
    func references(_ written: String, _ read: String) {
        #expect(targets("<a href=\"\(written)\">") == [read])
    }

    @Test("the remark is the text after the link, in the same row")
    func remarks() {
        let page = """
            <pre><a href=1>one</a>  26-Nov-2026 17:27   5
            <a href=2>two <b>2</b></a> 1&nbsp;K <i>x</i><!-- no -->y < z
            <hr>after</pre><table><tr><td><a href=3>three</a></td><td> 7 </td></tr><tr><td>no</td></tr></table>
            <ul><li><a href=4>four</a> 8</li> no<li><a href=5>five</a></li></ul> no
            """
        let remarks = ["26-Nov-2026 17:27 5", "1 K x y < z", "7", "8", ""]
        #expect(links(page).map(\.remark) == remarks)
        #expect(links(page).map(\.target) == ["1", "2", "3", "4", "5"])
    }

    @Test("text after an anchor without href is no remark of the link before it")
    func anchors() {
        #expect(links("<a href=1>x</a> one <a name=n>y</a> two").map(\.remark) == ["one"])
    }

    @Test("octets that are no text do no harm")
    func octets() {
        let page: [UInt8] = Array("<a href=\"".utf8) + [0xFF, 0x00, 0xC3] + Array("\">\u{1}</a> 1".utf8)
        #expect(Array(HTMLLinks(page)).count == 1)
        for end in 0...page.count { _ = Array(HTMLLinks(Array(page[..<end]))) }
    }

    @Test("a remark is collected up to a bound, and a link that is longer than any URL is none")
    func bounds() {
        let many = String(repeating: "1 ", count: 100_000)
        let long = many + many + many + many
        let read = links("<a href=1>x</a> \(many)<b>\(many)<a href=2>y</a> 3<a href=\"\(long)\">z</a>")
        #expect(read.map(\.target) == ["1", "2"])
        #expect(read[0].remark.hasPrefix("1 1 1") && read[0].remark.utf8.count < 4_096)
        #expect(read[1].remark == "3")
    }

    @Test("a long page is read once")
    func long() {
        // Quadratic work would not end.
        let page =
            String(repeating: "<a href=x&y<!--", count: 1) + String(repeating: "<script", count: 200_000)
        _ = links(page)
        #expect(links(String(repeating: "<a href=x>y</a> 1\n", count: 100_000)).count == 100_000)
    }
}
