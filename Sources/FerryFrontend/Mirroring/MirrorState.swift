package import Ferry

/// How far a mirror has come. It is kept as the payload of the node at the top of its tree.
package struct MirrorState: Hashable, Sendable {
    /// What a mirror does.
    package enum Phase: String, Hashable, Sendable {
        /// It reads what the source has.
        case listing
        /// It downloads what is marked.
        case downloading
        /// It has ended, so the next command begins a new pass.
        case over
    }

    /// Identifies the source and the directory.
    package let identity: String
    /// The number of the pass, counted from 1.
    package var pass: Int64
    /// What it does in this pass.
    package var phase: Phase
    /// The filter of this pass. Another one needs a listing of its own.
    package var filter: String
    /// How the server of a directory is asked; `nil` before it has answered.
    package var language: DirectoryClient.Language?
    /// How it was asked in the pass before; `nil` in the first.
    package var formerLanguage: DirectoryClient.Language?
    /// Whether the top was listed in another way or at another URL than in the latest pass that came to its end. Then no file
    /// counts as gone.
    package var isListedAnew = false
    /// Whether two entries of this pass have the same path here. Then what is missing may be one of them.
    package var collides = false
    /// Number of entries of this pass that have no place here.
    package var refused = 0
    /// Where the next page of a bucket begins: names and values.
    package var place: [String] = []
    /// Number of files and directories that were noted in this pass.
    package var count = 0
    /// Whether everything was listed. Otherwise what is missing is not gone.
    package var isComplete = true
    /// The latest pass in which all entries of the top were noted.
    package var listedPass: Int64 = 0
    /// The disk with its files; `nil` before it had any.
    package var disk: MirrorDisk?

    /// Begins the first pass of a mirror.
    package init(identity: String, filter: String) {
        (self.identity, self.filter) = (identity, filter)
        (pass, phase) = (1, .listing)
    }

    /// The state of the pass after this one.
    package func next(filter: String) -> MirrorState {
        var state = MirrorState(identity: identity, filter: filter)
        (state.pass, state.listedPass) = (pass + 1, listedPass)
        state.formerLanguage = language ?? formerLanguage
        // The pass that found it did not come to its end.
        state.isListedAnew = isListedAnew && phase != .over
        return state
    }

    /// Whether a command continues this pass.
    package func continues(filter: String) -> Bool { phase != .over && self.filter == filter }

    /// The name of the tree of a mirror. Another number avoids one that has the same hash.
    package static func treeName(_ identity: String, number: Int) -> String {
        var hash = FNV1a()
        hash.add(identity.utf8)
        let digits = String(hash.value, radix: 16)
        return "ferry mirror \(String(repeating: "0", count: 16 - digits.utf8.count))\(digits) \(number)"
    }
}

// MARK: Payloads

extension MirrorState {
    /// Reads a payload; `nil` if it is none that ``payload`` wrote.
    package init?(_ payload: [UInt8]) {
        guard let members = JSONMembers(of: payload[...]), let identity = members.text("identity"),
            let pass = members.number("pass"), pass > 0, pass < .max,
            let phase = members.text("phase").flatMap({ Phase(rawValue: $0) })
        else { return nil }
        self.init(identity: identity, filter: members.text("filter") ?? "")
        (self.pass, self.phase) = (pass, phase)
        language = members.text("language").flatMap { DirectoryClient.Language(rawValue: $0) }
        formerLanguage = members.text("formerly").flatMap { DirectoryClient.Language(rawValue: $0) }
        isListedAnew = members.number("anew") == 1
        collides = members.number("collides") == 1
        refused = members.number("refused").map { Int(clamping: $0) } ?? 0
        place = members.elements("place")?.compactMap { JSONText.string($0) } ?? []
        isComplete = members.number("complete") != 0
        listedPass = members.number("listed") ?? 0
        count = members.number("count").map { Int(clamping: $0) } ?? 0
        let numbers = (members.elements("disk") ?? []).compactMap { Int64($0.text) }
        if numbers.count == 2 {
            let noted = Instant(milliseconds: numbers[1])
            self.disk = MirrorDisk(device: UInt64(bitPattern: numbers[0]), noted: noted)
        }
    }

    /// The state as the node at the top keeps it.
    package var payload: [UInt8] {
        let numbers = disk.map { [Int64(bitPattern: $0.device), $0.noted.milliseconds] } ?? []
        let json: JSON = [
            "identity": .string(identity), "pass": .int(pass), "phase": .string(phase.rawValue),
            "filter": .string(filter), "language": .optional(language?.rawValue),
            "formerly": .optional(formerLanguage?.rawValue), "anew": .int(isListedAnew ? 1 : 0),
            "collides": .int(collides ? 1 : 0), "refused": .int(Int64(refused)),
            "place": .array(place.map { .string($0) }), "complete": .int(isComplete ? 1 : 0),
            "listed": .int(listedPass), "count": .int(Int64(count)), "disk": .array(numbers.map { .int($0) }),
        ]
        return Array(json.text.utf8)
    }
}
