package import Ferry

/// What a mirror knows about a file or directory of its source. It is kept as the payload of a node.
package struct MirrorEntry: Hashable, Sendable {
    /// Whether it is a file or a directory.
    package enum Kind: String, Hashable, Sendable {
        case file = "f"
        case directory = "d"
    }

    /// How a file compares with what was mirrored before.
    package enum Comparison: String, Hashable, Sendable, CaseIterable {
        /// It is not in the directory yet.
        case new
        /// It has another version than the mirrored one.
        case changed
        /// It has the mirrored version, and the mirrored file is in its place.
        case unchanged
        /// Its listing tells no versions apart, so the server is asked about the file itself.
        case asked
        /// It has the mirrored version, but the file was changed here, and is left alone.
        case kept
        /// A file that is in its place is not replaced: the mirror did not place that one, or it was changed here and the source has
        /// another version.
        case conflict
    }

    /// Whether it is a file or a directory.
    package let kind: Kind
    /// Its path as the source lists it; `nil` if that is its path here.
    package var listedPath: String?
    /// The latest pass in which the source listed it.
    package var pass: Int64
    /// How a file compared in that pass.
    package var comparison = Comparison.new
    /// The version that was listed.
    package var version = ListedVersion()
    /// Other URLs of the listed version, the best first.
    package var mirrors: [HTTPURL] = []
    /// The file that the mirror placed.
    package var placed: PlacedFile?
    /// Whether the version was to be downloaded, and the placed file was not noted yet.
    package var isPending = false
    /// For a directory, the latest pass in which all of its entries were noted.
    package var listedPass: Int64 = 0
    /// For a directory, whether the mirror made it.
    package var isMade = false

    /// Creates an entry.
    package init(_ kind: Kind, pass: Int64) {
        (self.kind, self.pass) = (kind, pass)
    }

    /// The path that filters are compared with.
    ///
    /// - Parameter path: its path here.
    func sourcePath(of path: String) -> String { listedPath ?? path }
}

// MARK: Payloads

extension MirrorEntry {
    /// Reads a payload; `nil` if it is none that ``payload`` wrote.
    package init?(_ payload: [UInt8]) {
        guard let members = JSONMembers(of: payload[...]), let pass = members.number("pass"),
            let kind = members.text("kind").flatMap({ Kind(rawValue: $0) })
        else { return nil }
        self.init(kind, pass: pass)
        listedPath = members.text("at")
        comparison = members.text("comparison").flatMap { Comparison(rawValue: $0) } ?? .new
        version = ListedVersion(
            etag: members.text("etag"),
            size: members.number("size"),
            stamp: members.text("stamp"),
            checksum: members.text("checksum").flatMap(Self.checksum)
        )
        mirrors = members.elements("mirrors")?.compactMap(Self.url) ?? []
        placed = members.elements("placed").flatMap(Self.placed)
        isPending = members.number("pending") == 1
        listedPass = members.number("listed") ?? 0
        isMade = members.number("made") == 1
    }

    /// The entry as a node keeps it.
    package var payload: [UInt8] {
        var members: [JSON.Member] = [
            .init(name: "kind", value: .string(kind.rawValue)), .init(name: "pass", value: .int(pass)),
        ]
        func add(_ name: String, _ value: JSON?) {
            if let value { members.append(.init(name: name, value: value)) }
        }
        add("at", listedPath.map { .string($0) })
        switch kind {
        case .file:
            add("comparison", .string(comparison.rawValue))
            add("etag", version.etag.map { .string($0) })
            add("size", version.size.map { .int($0) })
            add("stamp", version.stamp.map { .string($0) })
            add("checksum", version.checksum.map { .string("\($0.algorithm.shortName)=\($0.hex)") })
            if !mirrors.isEmpty { add("mirrors", .array(mirrors.map { .string($0.absoluteString) })) }
            add("placed", placed.map(Self.json))
            if isPending { add("pending", 1) }
        case .directory:
            if listedPass != 0 { add("listed", .int(listedPass)) }
            if isMade { add("made", 1) }
        }
        return Array(JSON.object(members).text.utf8)
    }

    /// Whether a stored ``payload`` says ``isPending``. This reads only its end, because most nodes of a walk are not pending.
    static func isPending(_ payload: [UInt8]) -> Bool { payload.suffix(pending.count).elementsEqual(pending) }

    /// The end of such a payload. The member is the last one.
    private static let pending = Array(#","pending":1}"#.utf8)

    private static func checksum(_ text: String) -> Checksum? {
        do {
            return try Checksum(parsing: text)
        } catch {
            return nil
        }
    }

    private static func url(_ value: ArraySlice<UInt8>) -> HTTPURL? {
        guard let text = JSONText.string(value) else { return nil }
        do {
            return try HTTPURL(parsing: text)
        } catch {
            return nil
        }
    }

    private static func json(_ placed: PlacedFile) -> JSON {
        let numbers: [Int64?] = [
            Int64(bitPattern: placed.identity.device), Int64(bitPattern: placed.identity.inode),
            placed.identity.birth, placed.length, placed.modified,
        ]
        return .array(numbers.map { .optional($0) })
    }

    private static func placed(_ elements: [ArraySlice<UInt8>]) -> PlacedFile? {
        let numbers = elements.map { Int64($0.text) }
        guard numbers.count == 5, let device = numbers[0], let inode = numbers[1], let length = numbers[3]
        else { return nil }
        let identity = FileIdentity(
            device: UInt64(bitPattern: device),
            inode: UInt64(bitPattern: inode),
            birth: numbers[2]
        )
        return PlacedFile(identity: identity, length: length, modified: numbers[4])
    }
}
