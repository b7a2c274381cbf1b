import Testing

/// What must survive a power cut does, and what may vanish can.
@Suite("A disk whose power is cut")
struct DiskTests {
    private let root = NameTree.rootNode
    private let file = NodeID(rawValue: 1)
    private let block = FileImage.blockSize

    private func disk(_ operations: DiskOperation...) -> Disk {
        var disk = Disk()
        for operation in operations { disk.apply(operation) }
        return disk
    }

    private func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    private func sync(_ node: NodeID) -> [DiskOperation] { [.beginSync(1, of: node), .endSync(1)] }

    /// Every crash state that many draws give.
    private func crashStates(_ disk: Disk, _ survivals: [Survival] = Survival.allCases) -> [CrashState] {
        survivals.flatMap { survival in
            (0..<60).map { PowerCut.crashState(of: disk, survival, seed: $0) }
        }
    }

    /// A disk with a durable file `f` of two blocks of 1.
    private func settled() -> Disk {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 2 * block), to: file, at: 0))
        disk.settle()
        return disk
    }

    @Test("what was synced survives every cut")
    func syncedSurvives() {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 5000), to: file, at: 0))
        for operation in sync(file) + sync(root) { disk.apply(operation) }
        #expect(crashStates(disk).allSatisfy { $0["f"]?.image.bytes == bytes(1, 5000) })
    }

    @Test("a file's sync makes its bytes durable and not its name, but where a journal brings the name along")
    func nameNeedsItsDirectory() {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 10), to: file, at: 0))
        for operation in sync(file) { disk.apply(operation) }
        #expect(crashStates(disk, [.nothing]).allSatisfy { $0.files.isEmpty })
        #expect(crashStates(disk, [.anything]).contains { $0.files.isEmpty })
        #expect(crashStates(disk, [.journaled]).allSatisfy { $0["f"]?.image.bytes == bytes(1, 10) })
    }

    @Test("a directory's sync makes names durable and not the bytes behind them")
    func bytesNeedTheirFile() {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 10), to: file, at: 0))
        for operation in sync(root) { disk.apply(operation) }
        #expect(crashStates(disk).allSatisfy { $0["f"] != nil })
        #expect(crashStates(disk, [.nothing]).allSatisfy { $0["f"]?.image.length == 0 })
    }

    @Test("a sync does not answer for what came after it had begun")
    func syncAnswersForTheBefore() {
        var disk = settled()
        disk.apply(.beginSync(1, of: file))
        disk.apply(.write(bytes(2, block), to: file, at: 0))
        disk.apply(.endSync(1))
        #expect(PowerCut.crashState(of: disk, .nothing, seed: 0)["f"]?.image.bytes == bytes(1, 2 * block))
    }

    @Test("a sync that never ended promises nothing")
    func syncThatNeverEnded() {
        var disk = disk(.create(file, name: "f", in: root))
        disk.apply(.beginSync(1, of: root))
        #expect(PowerCut.crashState(of: disk, .nothing, seed: 0).files.isEmpty)
    }

    @Test("each block is old or new, and of several versions it may be any")
    func blocksAreTorn() {
        var disk = settled()
        disk.apply(.write(bytes(2, 2 * block), to: file, at: 0))
        disk.apply(.write(bytes(3, block), to: file, at: 0))
        let found = Set(crashStates(disk).compactMap { $0["f"]?.image.bytes }.map { [$0[0], $0[block]] })
        for pair in [[1, 1], [2, 2], [3, 2], [3, 1], [1, 2], [2, 1]] as [[UInt8]] {
            #expect(found.contains(pair), "\(pair)")
        }
    }

    @Test("a length may come without its bytes, which are zeros then, and bytes without their length")
    func lengthAndBytesAreApart() {
        var disk = settled()
        disk.apply(.write(bytes(2, block), to: file, at: 2 * block))
        let found = Set(crashStates(disk).compactMap { $0["f"]?.image.bytes })
        #expect(found.contains(bytes(1, 2 * block)))
        #expect(found.contains(bytes(1, 2 * block) + bytes(0, block)))
        #expect(found.contains(bytes(1, 2 * block) + bytes(2, block)))
    }

    @Test("a cut that is not synced may be taken back, in whole or in part")
    func cutIsTakenBack() {
        var disk = settled()
        disk.apply(.resize(file, to: 100))
        let found = Set(crashStates(disk).compactMap { $0["f"]?.image.bytes })
        #expect(found.contains(bytes(1, 2 * block)))
        #expect(found.contains(bytes(1, 100)))
    }

    @Test("a rename is never halved, and may come before its bytes")
    func renameIsWhole() {
        var disk = Disk()
        for operation in [.create(file, name: "part", in: root)] + sync(root) { disk.apply(operation) }
        disk.apply(.write(bytes(1, 10), to: file, at: 0))
        disk.apply(.bind(["part": nil, "final": file], in: root))
        let found = crashStates(disk)
        #expect(found.allSatisfy { $0.files.count == 1 })
        #expect(found.contains { $0["final"]?.image.length == 0 })
        #expect(found.contains { $0["final"]?.image.bytes == bytes(1, 10) })
        #expect(found.contains { $0["part"] != nil })
    }

    @Test("a file that replaces another leaves one of the two under the name")
    func replacing() {
        var disk = settled()
        let other = NodeID(rawValue: 2)
        disk.apply(.create(other, name: "part", in: root))
        disk.apply(.bind(["part": nil, "f": other], in: root))
        #expect(crashStates(disk).allSatisfy { $0["f"] != nil })
        #expect(crashStates(disk).contains { $0["f"]?.node == file })
        #expect(crashStates(disk).contains { $0["f"]?.node == other })
    }

    @Test("without the name of a directory all in it is gone")
    func directoriesHoldTheirFiles() {
        let directory = NodeID(rawValue: 2)
        var disk = disk(
            .makeDirectory(directory, name: "d", in: root),
            .create(file, name: "f", in: directory),
            .write(bytes(1, 10), to: file, at: 0)
        )
        for operation in sync(file) + sync(directory) { disk.apply(operation) }
        #expect(
            PowerCut.crashState(of: disk, .nothing, seed: 0)
                == CrashState(losses: ["names in directory 0: d = file 2"])
        )
        #expect(PowerCut.crashState(of: disk, .everything, seed: 0)["d/f"]?.image.bytes == bytes(1, 10))
    }

    @Test("where order is kept, no name is there without those that came before it")
    func orderIsKept() {
        let second = NodeID(rawValue: 2)
        let disk = disk(.create(file, name: "first", in: root), .create(second, name: "second", in: root))
        #expect(
            crashStates(disk, [.ordered, .journaled]).allSatisfy { $0["second"] == nil || $0["first"] != nil }
        )
        #expect(crashStates(disk, [.anything]).contains { $0["second"] != nil && $0["first"] == nil })
    }

    @Test("nobody knows what is in a file that is written through memory")
    func mapped() {
        var disk = settled()
        disk.apply(.map(file))
        #expect(Set(crashStates(disk).map { $0["f"]?.image }).count > 10)
    }

    @Test("the same seed draws the same crash state")
    func seeds() {
        var disk = settled()
        disk.apply(.write(bytes(2, 2 * block), to: file, at: 0))
        for survival in Survival.allCases {
            #expect(
                PowerCut.crashState(of: disk, survival, seed: 4)
                    == PowerCut.crashState(of: disk, survival, seed: 4)
            )
        }
    }
}
