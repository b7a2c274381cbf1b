/// The hosts that are reached without a proxy: the value of `no_proxy`, as curl matches it.
public struct NoProxyRules: Hashable, Sendable, Codable {
    private let list: String
    private let rules: [Rule]

    private enum Rule: Hashable, Sendable {
        case every
        case domain([UInt8])
        case network(IPAddress, prefixLength: Int)
    }

    /// Reads a list separated by commas or spaces.
    ///
    /// A name, with or without a leading dot, matches itself and every name below it. An address matches itself, and
    /// with `/BITS` its network. A single `*` matches every host. A rule cannot have a port: one with a port matches
    /// nothing. An invalid rule matches nothing either.
    public init(_ list: String) {
        self.list = list
        let items = Array(list.utf8).split { $0 == 0x2C || $0 == 0x20 || (0x09...0x0D).contains($0) }
        rules = items.compactMap { Self.rule(for: $0, isAlone: items.count == 1) }
    }

    /// Reads the original text of the list.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the original text of the list.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(list)
    }

    /// Whether a host is reached without a proxy; an IPv6 address may have brackets.
    package func matches(host: String) -> Bool {
        let bytes = Array(host.utf8)[...]
        let address = IPAddress(Self.withoutBrackets(bytes).text)
        let name = Self.trimmedName(bytes, leading: false)
        return rules.contains { rule in
            switch rule {
            case .every: true
            case .network(let network, let length): address?.isWithin(network, prefixLength: length) == true
            case .domain(let domain): address == nil && Self.isName(name, withinDomain: domain)
            }
        }
    }

    private static func rule(for item: ArraySlice<UInt8>, isAlone: Bool) -> Rule? {
        if isAlone, item.elementsEqual([0x2A]) { return .every }
        let slash = item.firstIndex(of: 0x2F)
        if let address = IPAddress(withoutBrackets(item[..<(slash ?? item.endIndex)]).text) {
            let longest = Int64(address.bytes.count * 8)
            guard let slash else { return .network(address, prefixLength: Int(longest)) }
            guard let length = DecimalNumber(item[(slash + 1)...])?.fitting, length <= longest else {
                return nil
            }
            return .network(address, prefixLength: Int(length))
        }
        let name = trimmedName(item, leading: true)
        return name.isEmpty ? nil : .domain(Array(name))
    }

    private static func isName(_ name: ArraySlice<UInt8>, withinDomain domain: [UInt8]) -> Bool {
        guard name.count > domain.count else { return name.equalsIgnoringASCIICase(domain) }
        let tail = name.suffix(domain.count)
        return name[tail.startIndex - 1] == 0x2E && tail.equalsIgnoringASCIICase(domain)
    }

    /// A name without its final dot, which only marks it as complete.
    private static func trimmedName(_ name: ArraySlice<UInt8>, leading: Bool) -> ArraySlice<UInt8> {
        let rest = leading && name.first == 0x2E ? name.dropFirst() : name
        return rest.last == 0x2E ? rest.dropLast() : rest
    }

    private static func withoutBrackets(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.first == 0x5B && text.last == 0x5D && text.count >= 2 ? text.dropFirst().dropLast() : text
    }
}
