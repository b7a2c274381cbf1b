/// Draws the crash state of a disk.
struct PowerCut {
    let disk: Disk
    let survival: Survival
    private var random: SeededRandom
    /// The probability that a change survives.
    private let odds: Double
    /// The last change of names that survives, if their order is kept.
    private let lastName: Int
    /// The single change for ``Survival/allButOne`` and ``Survival/onlyOne``.
    private let chosen: Int?
    private var losses: [String] = []

    private init(_ disk: Disk, _ survival: Survival, seed: UInt64) {
        self.disk = disk
        self.survival = survival
        var random = SeededRandom(seed: seed)
        odds = [0.05, 0.5, 0.95].randomElement(using: &random) ?? 0.5
        let numbers = disk.pendingNumbers
        lastName = max(disk.journaled, numbers.randomElement(using: &random) ?? 0)
        chosen = numbers.randomElement(using: &random)
        self.random = random
    }

    /// Draws the crash state of a disk.
    static func crashState(of disk: Disk, _ survival: Survival, seed: UInt64) -> CrashState {
        var cut = PowerCut(disk, survival, seed: seed)
        return cut.crashState()
    }

    private mutating func crashState() -> CrashState {
        var crashState = CrashState()
        var waiting: [(path: String, node: NodeID)] = [("", NameTree.rootNode)]
        var images: [NodeID: FileImage] = [:]
        while let (path, node) = waiting.popLast() {
            for (name, child) in names(of: node).sorted(by: { $0.key < $1.key }) {
                let path = path.isEmpty ? name : "\(path)/\(name)"
                if disk.directories[child] != nil {
                    crashState.directories.append(path)
                    waiting.append((path, child))
                } else {
                    let image = images[child] ?? image(of: child, path)
                    images[child] = image
                    let isUntouched = disk.files[child]?.current.length == 0
                    crashState.files.append(
                        CrashState.File(path: path, node: child, image: image, isUntouched: isUntouched)
                    )
                }
            }
        }
        crashState.losses = losses
        return crashState
    }

    // MARK: Names

    private mutating func names(of node: NodeID) -> [String: NodeID] {
        guard let directory = disk.directories[node] else { return [:] }
        var names = directory.durable
        let last = directory.pending.indices.randomElement(using: &random) ?? 0
        for (index, change) in directory.pending.enumerated() {
            let survives =
                switch survival {
                case .names: true
                case .bytes: false
                case .journaled: change.number <= lastName
                case .ordered: index <= last
                default: survives(change.number)
                }
            if survives {
                names.apply(change)
            } else {
                let what = change.names.sorted { $0.key < $1.key }.map { name, node in
                    node.map { "\(name) = file \($0.rawValue)" } ?? "\(name) gone"
                }
                losses.append("names in directory \(node.rawValue): \(what.joined(separator: ", "))")
            }
        }
        return names
    }

    private mutating func survives(_ number: Int) -> Bool {
        switch survival {
        case .nothing: false
        case .everything: true
        case .allButOne: number != chosen
        case .onlyOne: number == chosen
        case .names, .bytes, .journaled, .ordered, .anything: Double.random(in: 0..<1, using: &random) < odds
        }
    }

    // MARK: Bytes

    private mutating func image(of node: NodeID, _ path: String) -> FileImage {
        guard let file = disk.files[node] else { return FileImage() }
        if file.isMapped { return noise(like: file.current) }
        var image = file.durable
        // The disk may have a block, or the length, as it was after any of its changes.
        for change in file.pending {
            let survives =
                switch survival {
                case .names: false
                case .bytes: true
                default: survives(change.number)
                }
            if survives {
                image.apply(change.kind)
            } else {
                switch change.kind {
                case .block(let index, _): losses.append("\(path): block \(index), change \(change.number)")
                case .length(let length): losses.append("\(path): length \(length), change \(change.number)")
                }
            }
        }
        return image
    }

    /// Draws the bytes of a file that is written through memory. They can be anything.
    private mutating func noise(like current: FileImage) -> FileImage {
        var image = FileImage()
        image.length = [0, 3, current.length].randomElement(using: &random) ?? 0
        for index in 0..<(image.length / FileImage.blockSize) where Bool.random(using: &random) {
            image.blocks[index] = (0..<FileImage.blockSize).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
        }
        return image
    }
}

extension Disk {
    /// The numbers of all pending changes, in order.
    fileprivate var pendingNumbers: [Int] {
        let names = directories.values.flatMap { $0.pending.map(\.number) }
        let bytes = files.values.flatMap { $0.pending.map(\.number) }
        return Set(names + bytes).sorted()
    }
}
