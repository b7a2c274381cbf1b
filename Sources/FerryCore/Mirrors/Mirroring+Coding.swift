extension Mirroring: Codable {
    private enum CodingKeys: String, CodingKey {
        case names, lead, discovery, versions, excluded, provenance, compared, sharing, isAlone, wrongDigest,
            repairs
    }

    /// A source within one stored form: 0 is the download's own URL, 1 and above are places in a list of names.
    private struct Number: RawRepresentable, Hashable, Comparable, Codable {
        let rawValue: Int

        static func < (lhs: Number, rhs: Number) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// The source for each number. The form has many numbers and few names, as it is written again and again while
    /// bytes arrive.
    private struct Legend {
        /// The resources of the mirrors; `nil` in the form of an older Ferry, which numbered them by their places.
        var names: [String]?
        var discovered: [HTTPURL] = []
        /// Below the number of every former mirror.
        private static let otherTool = Number(rawValue: -1_000_000)

        func source(_ number: Number) -> SourceID {
            let number = number.rawValue
            if number == Self.otherTool.rawValue { return .otherTool }
            if number == 0 { return .own }
            // A number from an older Ferry is kept, below zero.
            let former = SourceID.former(Int(clamping: number.magnitude))
            guard number > 0 else { return former }
            if let names { return number <= names.count ? .mirror(names[number - 1]) : former }
            let isNamed = number >= SourceID.firstDiscovered
            let place = isNamed ? number - SourceID.firstDiscovered : discovered.count
            return place < discovered.count ? .mirror(discovered[place]) : former
        }

        func number(of source: SourceID) -> Number {
            switch source {
            case .own: Number(rawValue: 0)
            case .former(let number): Number(rawValue: -number)
            case .otherTool: Self.otherTool
            case .mirror(let name): Number(rawValue: (names?.firstIndex(of: name) ?? -1) + 1)
            }
        }
    }

    /// Reads the stored form. A missing field has its default. An older Ferry wrote discovered mirrors without the
    /// digest that vouches for them: they are dropped.
    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        discovery = try fields.value(of: .discovery)
        let legend = Legend(names: try fields.value(of: .names), discovered: discovered)
        func named<Value: Decodable>(_ type: Value.Type, _ key: CodingKeys) throws -> [SourceID: Value] {
            let stored = try fields.decodeIfPresent([Number: Value].self, forKey: key) ?? [:]
            let pairs = stored.sorted { $0.key < $1.key }.map { (legend.source($0.key), $0.value) }
            return Dictionary(pairs) { first, _ in first }
        }
        lead = try fields.decodeIfPresent(Number.self, forKey: .lead).map(legend.source) ?? lead
        versions = try named(Version.self, .versions)
        excluded = try named(Exclusion.self, .excluded)
        func source(_ number: Int64) -> SourceID { legend.source(Number(rawValue: Int(clamping: number))) }
        let rows = try fields.decodeIfPresent([[Int64]].self, forKey: .provenance) ?? []
        guard let spans = Provenance(rows: rows, source: source) else {
            throw fields.damaged(.provenance, "spans are not in order")
        }
        provenance = spans
        let junctions = try fields.decodeIfPresent([[Int64]].self, forKey: .compared) ?? []
        guard junctions.allSatisfy({ $0.count == 3 }) else {
            throw fields.damaged(.compared, "a comparison is not of two sources")
        }
        compared = Set(
            junctions.map { Junction(offset: $0[0], before: source($0[1]), after: source($0[2])) }
        )
        sharing = Set(try fields.decodeIfPresent([Int64].self, forKey: .sharing)?.map(source) ?? [])
        isAlone = try fields.value(of: .isAlone) ?? isAlone
        wrongDigest = try fields.value(of: .wrongDigest)
        repairs = try fields.value(of: .repairs) ?? repairs
    }

    /// Writes the stored form, each mirror's name once.
    package func encode(to encoder: any Encoder) throws {
        let junctions = compared.sorted()
        let givers = provenance.spans.compactMap(\.source) + junctions.flatMap { [$0.before, $0.after] }
        let sources = [lead] + versions.keys + excluded.keys + sharing + givers
        let names = Set(sources.compactMap { if case .mirror(let name) = $0 { name } else { nil } }).sorted()
        let legend = Legend(names: names)
        func numbered<Value>(_ known: [SourceID: Value]) -> [Number: Value] {
            Dictionary(uniqueKeysWithValues: known.map { (legend.number(of: $0.key), $0.value) })
        }
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(names, forKey: .names)
        try fields.encode(legend.number(of: lead), forKey: .lead)
        try fields.encodeIfPresent(discovery, forKey: .discovery)
        try fields.encode(numbered(versions), forKey: .versions)
        try fields.encode(numbered(excluded), forKey: .excluded)
        func number(_ source: SourceID) -> Int64 { Int64(legend.number(of: source).rawValue) }
        try fields.encode(provenance.rows(number), forKey: .provenance)
        let stored = junctions.map { [$0.offset, number($0.before), number($0.after)] }
        if !stored.isEmpty { try fields.encode(stored, forKey: .compared) }
        if !sharing.isEmpty { try fields.encode(sharing.sorted().map(number), forKey: .sharing) }
        try fields.encode(isAlone, forKey: .isAlone)
        try fields.encodeIfPresent(wrongDigest, forKey: .wrongDigest)
        try fields.encode(repairs, forKey: .repairs)
    }
}
