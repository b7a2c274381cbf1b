import FerryCore

extension InputProperty {
    /// `Link` fields, one per line after a URL, yield usable mirrors, the best first.
    package static let link = InputProperty("link") { input in
        let (head, tail) = input.headAndTail
        let links = Link.links(in: tail.lines)
        try require(links.count <= Link.most, "I9: there are boundedly many")
        for link in links {
            try require(
                link.relations.allSatisfy { !$0.isEmpty && !$0.contains(" ") },
                "a relation is a word"
            )
            try require(!link.target.utf8.contains(0x3E), "a target ends where its bracket does")
        }
        let url: HTTPURL
        do {
            url = try HTTPURL(parsing: head)
        } catch {
            return
        }
        try requireUsable(MirrorLink.mirrors(in: links, of: url))
    }

    /// Throws unless all mirrors are usable, in this order.
    static func requireUsable(_ mirrors: [MirrorLink], userinfo: Bool = false) throws {
        try require(mirrors.count <= MirrorLink.most, "I9: there are boundedly many")
        try require(Set(mirrors.map(\.url)).count == mirrors.count, "a mirror is named once")
        for (one, next) in zip(mirrors, mirrors.dropFirst()) {
            try require(one.priority <= next.priority, "the best comes first")
        }
        for mirror in mirrors {
            try require((1...MirrorLink.lowestPriority).contains(mirror.priority), "a priority is one")
            try require(mirror.url.fragment == nil, "what is not sent is left out")
            try require(userinfo || mirror.url.user == nil, "I7: no one is given a password")
            let location = mirror.location ?? "de"
            try require(
                location.utf8.count == 2 && location == location.lowercased(),
                "a country has two letters"
            )
        }
    }
}
