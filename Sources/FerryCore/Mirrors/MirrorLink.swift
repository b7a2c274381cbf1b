/// Another URL of the same content, as given by a server or a Metalink document.
package struct MirrorLink: Hashable, Sendable {
    /// The lowest priority, also that of a mirror without one.
    package static let lowestPriority = 999_999
    /// Maximum number of mirrors taken from one response (I9).
    package static let most = 100

    /// The URL.
    package let url: HTTPURL
    /// The order in which to ask: 1 is the best.
    package let priority: Int
    /// The country of the server (ISO 3166-1 alpha-2), in lowercase.
    package let location: String?

    /// Creates a link; an invalid priority is the lowest.
    init(_ url: HTTPURL, priority: String?, location: String?) {
        self.url = url
        let number = priority.flatMap { DecimalNumber(Array($0.utf8).trimmingBlanks)?.fitting } ?? 0
        let isPriority = (1...Int64(Self.lowestPriority)).contains(number)
        self.priority = isPriority ? Int(number) : Self.lowestPriority
        let country = location.map { Array($0.utf8).trimmingBlanks.lowercasedASCIIText }
        let isCountry = country?.utf8.count == 2 && country?.utf8.allSatisfy(\.isLetter) == true
        self.location = isCountry ? country : nil
    }

    /// Returns the mirrors among the links of a response: its `duplicate`s (RFC 6249 §3), the best first.
    ///
    /// References are resolved against the URL that answered. These are left out: anything but HTTP URLs, that URL
    /// itself, repeated URLs, and links about another subject (`anchor`). Userinfo is dropped, because a password is
    /// not for a server that another one names.
    package static func mirrors(in links: [Link], of url: HTTPURL) -> [MirrorLink] {
        guard !links.isEmpty else { return [] }
        var known: Set<HTTPURL> = [url.plain]
        let mirrors = links.compactMap { link -> MirrorLink? in
            guard link.relations.contains("duplicate"), link.isAbout(url),
                let target = link.resolved(against: url)?.plain, known.insert(target).inserted
            else { return nil }
            return MirrorLink(target, priority: link.parameter("pri"), location: link.parameter("geo"))
        }
        return Array(mirrors.inOrder.prefix(most))
    }
}

extension Sequence<MirrorLink> {
    /// The best first; equal priorities in the order in which they were named.
    var inOrder: [MirrorLink] {
        enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(
            \.element
        )
    }
}

extension Link {
    /// Whether the link is about `url`, which it is unless an anchor says otherwise (RFC 8288 §3.2).
    fileprivate func isAbout(_ url: HTTPURL) -> Bool {
        guard let anchor = parameter("anchor") else { return true }
        do {
            return try url.resolving(anchor).plain == url.plain
        } catch {
            return false
        }
    }

    /// The target; `nil` if it is not an HTTP URL.
    fileprivate func resolved(against url: HTTPURL) -> HTTPURL? {
        do {
            return try url.resolving(target)
        } catch {
            return nil
        }
    }
}

extension HTTPURL {
    /// The URL without the parts that are not sent to a server.
    fileprivate var plain: HTTPURL { withoutFragment.withoutUserinfo }
}
