import FerryCore
import Testing

/// The marks of a node.
@Suite("Marks of nodes")
struct NodeMarkTests {
    private static let sets = (UInt8(0)..<16).map { NodeComponents(rawValue: $0) }

    @Test("a mark adds and removes exactly the named components, for every pair of sets")
    func changesTheNamedComponentsOnly() {
        for present in Self.sets {
            for named in Self.sets {
                var mark = NodeMark()
                mark.add(present, in: 1)
                #expect(mark.components == present)
                mark.add(named, in: 2)
                #expect(mark.components.rawValue == present.rawValue | named.rawValue)
                mark.remove(named)
                #expect(mark.components.rawValue == present.rawValue & ~named.rawValue)
            }
        }
    }

    @Test("what was marked again after a generation stays marked, for every pair of sets")
    func keepsWhatWasMarkedLater() {
        for began in Self.sets {
            for later in Self.sets {
                var mark = NodeMark()
                mark.add(began, in: 1)
                mark.add(later, in: 2)
                let unmarked = mark.unmarked(since: 1, of: began)
                #expect(unmarked.rawValue == began.rawValue & ~later.rawValue)
                #expect(mark.generation == (later.isEmpty ? began.isEmpty ? 0 : 1 : 2))
                #expect(mark.unmarked(since: 2, of: began) == began)
            }
        }
    }

    @Test("bits that stand for no component are ignored")
    func ignoresOtherBits() {
        for bits in UInt8.min...UInt8.max {
            #expect(NodeComponents(rawValue: bits) == NodeComponents(rawValue: bits % 16))
        }
        #expect(NodeComponents.all == [.header, .metadata, .thumbnail, .data])
    }

    @Test(
        "a component may be unmarked unless both ETags are known and differ by a byte",
        arguments: [
            (nil, nil, true), (nil, "\"1\"", true), ("\"1\"", nil, true), ("\"1\"", "\"1\"", true),
            ("\"1\"", "\"2\"", false), ("W/\"1\"", "\"1\"", false), ("\"1\"", "\"1\" ", false),
            // Equal for people, and for `String`, but not byte by byte.
            ("\"\u{E9}\"", "\"e\u{301}\"", false),
        ] as [(String?, String?, Bool)]
    )
    func comparesETagsByteByByte(given: String?, current: String?, isUnmarked: Bool) {
        #expect(NodeMark.mayUnmark(ifETagMatches: given, current: current) == isUnmarked)
    }

    @Test("a node has another version if its ETag differs, or without one its size or time")
    func comparesVersions() {
        func node(_ etag: String?, _ size: Int64?, _ time: Int64?) -> Node {
            Node("a", name: "a", etag: etag, modified: time.map { Instant(milliseconds: $0) }, size: size)
        }
        #expect(node("1", 1, 1).hasVersion(of: node("1", 2, 2)))
        #expect(!node("1", 1, 1).hasVersion(of: node("2", 1, 1)))
        #expect(node("1", 1, 1).hasVersion(of: node(nil, 1, 1)))
        #expect(!node("1", 1, 1).hasVersion(of: node(nil, 2, 1)))
        #expect(!node(nil, 1, 1).hasVersion(of: node(nil, 1, 2)))
        #expect(!node(nil, nil, 1).hasVersion(of: node(nil, 1, 1)))
    }

    @Test("a node that is printed shows no secret of its source")
    func showsNoSecret() throws {
        let url = try HTTPURL(parsing: "https://user:secret@example.com/a?signature=secret")
        let node = Node("a", name: "b", source: url)
        #expect(node.source == url)
        #expect("\(node)" == "a (b)")
        #expect(!"\([NodeDiscovery(node)])".contains("secret"))
    }
}
