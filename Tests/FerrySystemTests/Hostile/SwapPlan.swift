/// How one file is replaced during its download. It is drawn from a seed, so the same seed gives the same plan.
struct SwapPlan: Sendable, CustomStringConvertible {
    static let mostCuts = 5

    let number: Int
    let seed: UInt64
    var versions: [ScenarioVersion] = []
    /// How many bytes in total the server has sent when it replaces each version with the next.
    var moments: [Int] = []
    /// Whether the answer breaks off at that moment. Otherwise it continues with the old bytes, as from an open file.
    var swapBreaksOff = false
    /// The numbers of bytes after which the first answers break off.
    var cuts: [Int] = []
    var flaws: Set<HonestAnswer.Flaw> = []
    var retries = "0"
    var options: [String] = []
    /// The rate of each answer in bytes per second, for a download that is large and slow enough for several connections.
    /// `nil` for other downloads.
    var pace: Int?
    private let kind: Kind

    /// How the versions can be distinguished.
    private enum Kind: CaseIterable {
        case strongTag
        case weakTag
        case date
        case nothing
        case tagThenNone
    }

    init(number: Int, seed: UInt64) {
        self.number = number
        self.seed = seed
        var random = SeededRandom(seed: seed)
        // The last bit of the number decides whether the store is shared.
        let isParallel = number & 2 == 2
        let kinds: [Kind] = isParallel ? [.strongTag, .strongTag, .tagThenNone] : Kind.allCases
        kind = kinds.randomElement(using: &random) ?? .strongTag
        pace = isParallel ? 1_500_000 : nil
        let size = Int.random(in: isParallel ? 3_000_000...5_000_000 : 100_000...400_000, using: &random)
        let keepsLength = Bool.random(using: &random)
        for index in 0..<Int.random(in: 2...3, using: &random) {
            let count = keepsLength ? size : size + index * Int.random(in: 1...50_000, using: &random)
            let content = Content(count: count, seed: random.next())
            versions.append(Self.version(content, kind, index))
            moments.append((moments.last ?? 0) + Int.random(in: 1...size, using: &random))
        }
        swapBreaksOff = Bool.random(using: &random)
        cuts = (0..<Int.random(in: 0...Self.mostCuts, using: &random)).map { _ in
            Int.random(in: 0...size, using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 { flaws.insert(.ignoresIfRange) }
        if Int.random(in: 0..<6, using: &random) == 0 { flaws.insert(.distrustsIfRange) }
        if Int.random(in: 0..<6, using: &random) == 0 { flaws.insert(.ignoresIfMatch) }
        if Int.random(in: 0..<6, using: &random) == 0 { flaws.insert(.chunked) }
        if Int.random(in: 0..<8, using: &random) == 0 { flaws.insert(.ignoresRange) }
        retries = Int.random(in: 0..<4, using: &random) == 0 ? "2" : "0"
        if Int.random(in: 0..<4, using: &random) == 0 { options.append("--strict-resume") }
    }

    private static func version(_ content: Content, _ kind: Kind, _ index: Int) -> ScenarioVersion {
        var version = ScenarioVersion(content: content, type: "application/octet-stream")
        let date = "Sat, 0\(index + 1) Jan 2000 00:00:00 GMT"
        switch kind {
        case .strongTag: version.tag = "\"v\(index)\""
        case .weakTag: version.tag = "W/\"v\(index)\""
        case .date: version.modified = date
        case .nothing: break
        case .tagThenNone:
            version.tag = index == 0 ? "\"v0\"" : nil
            version.modified = date
        }
        return version
    }

    var description: String {
        "download \(number), seed \(seed), \(kind), \(versions.map(\.content.count)) at \(moments), cuts \(cuts),"
            + " pace \(pace ?? 0),"
            + " \(flaws.map(\.rawValue).sorted()), retries \(retries) \(options.joined())"
    }
}
