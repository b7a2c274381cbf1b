import FerryCore
import Testing

struct MediaTypeTests {
    @Test(arguments: [
        ("text/html", "text/html"), ("Text/HTML; charset=utf-8", "text/html"),
        (" application/zip ;x", "application/zip"),
        ("application/vnd.x+json", "application/vnd.x+json"),
        ("application/xhtml+xml", "application/xhtml+xml"),
    ])
    func reads(text: String, expected: String) {
        #expect(MediaType(text)?.description == expected)
        #expect(MediaType(text)?.isHTML == ["text/html", "application/xhtml+xml"].contains(expected))
    }

    @Test(arguments: [
        "", "/", "text", "text/", "/html", "text/html/x", "te xt/html", "text/ht\nml", ";text/html", "ü/x",
    ])
    func refuses(text: String) {
        #expect(MediaType(text) == nil)
    }
}
