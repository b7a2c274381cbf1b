import Testing

/// In the model, what must survive a power cut does survive, and everything else can be lost.
@Suite("A disk after a power cut")
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

    /// The crash states of many draws.
    private func crashStates(_ disk: Disk, _ survivals: [Survival] = Survival.allCases) -> [CrashState] {
        survivals.flatMap { survival in
            (0..<60).map { PowerCut.crashState(of: disk, survival, seed: $0) }
        }
    }

    /// A disk with a durable file `f` of two blocks, all bytes 1.
    private func settled() -> Disk {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 2 * block), to: file, at: 0))
        disk.settle()
        return disk
    }

    @Test("synced bytes and names survive every cut")
    func syncedSurvives() {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 5000), to: file, at: 0))
        for operation in sync(file) + sync(root) { disk.apply(operation) }
        #expect(crashStates(disk).allSatisfy { $0["f"]?.image.bytes == bytes(1, 5000) })
    }

    @Test("the sync of a file makes its bytes durable, and its name only with a journal")
    func nameNeedsItsDirectory() {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 10), to: file, at: 0))
        for operation in sync(file) { disk.apply(operation) }
        #expect(crashStates(disk, [.nothing]).allSatisfy { $0.files.isEmpty })
        #expect(crashStates(disk, [.anything]).contains { $0.files.isEmpty })
        #expect(crashStates(disk, [.journaled]).allSatisfy { $0["f"]?.image.bytes == bytes(1, 10) })
    }

    @Test("the sync of a directory makes names durable, but not the bytes of the files")
    func bytesNeedTheirFile() {
        var disk = disk(.create(file, name: "f", in: root), .write(bytes(1, 10), to: file, at: 0))
        for operation in sync(root) { disk.apply(operation) }
        #expect(crashStates(disk).allSatisfy { $0["f"] != nil })
        #expect(crashStates(disk, [.nothing]).allSatisfy { $0["f"]?.image.length == 0 })
    }

    @Test("a sync does not cover changes after its beginning")
    func syncAnswersForTheBefore() {
        var disk = settled()
        disk.apply(.beginSync(1, of: file))
        disk.apply(.write(bytes(2, block), to: file, at: 0))
        disk.apply(.endSync(1))
        #expect(PowerCut.crashState(of: disk, .nothing, seed: 0)["f"]?.image.bytes == bytes(1, 2 * block))
    }

    @Test("a sync that never ended guarantees nothing")
    func syncThatNeverEnded() {
        var disk = disk(.create(file, name: "f", in: root))
        disk.apply(.beginSync(1, of: root))
        #expect(PowerCut.crashState(of: disk, .nothing, seed: 0).files.isEmpty)
    }

    @Test("each block has any of its old or new versions")
    func blocksAreTorn() {
        var disk = settled()
        disk.apply(.write(bytes(2, 2 * block), to: file, at: 0))
        disk.apply(.write(bytes(3, block), to: file, at: 0))
        let found = Set(crashStates(disk).compactMap { $0["f"]?.image.bytes }.map { [$0[0], $0[block]] })
        for pair in [[1, 1], [2, 2], [3, 2], [3, 1], [1, 2], [2, 1]] as [[UInt8]] {
            #expect(found.contains(pair), "\(pair)")
        }
    }

    @Test("a length can survive without its bytes, which are then zeros, and bytes without their length")
    func lengthAndBytesAreApart() {
        var disk = settled()
        disk.apply(.write(bytes(2, block), to: file, at: 2 * block))
        let found = Set(crashStates(disk).compactMap { $0["f"]?.image.bytes })
        #expect(found.contains(bytes(1, 2 * block)))
        #expect(found.contains(bytes(1, 2 * block) + bytes(0, block)))
        #expect(found.contains(bytes(1, 2 * block) + bytes(2, block)))
    }

    @Test("an unsynced truncation can be lost, in whole or in part")
    func cutIsTakenBack() {
        var disk = settled()
        disk.apply(.resize(file, to: 100))
        let found = Set(crashStates(disk).compactMap { $0["f"]?.image.bytes })
        #expect(found.contains(bytes(1, 2 * block)))
        #expect(found.contains(bytes(1, 100)))
    }

    @Test("a rename is atomic, and can survive without the bytes")
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

    @Test("after a replacement, the name leads to one of the two files")
    func replacing() {
        var disk = settled()
        let other = NodeID(rawValue: 2)
        disk.apply(.create(other, name: "part", in: root))
        disk.apply(.bind(["part": nil, "f": other], in: root))
        #expect(crashStates(disk).allSatisfy { $0["f"] != nil })
        #expect(crashStates(disk).contains { $0["f"]?.node == file })
        #expect(crashStates(disk).contains { $0["f"]?.node == other })
    }

    @Test("without the name of a directory, all of its entries are lost")
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

    @Test("where order is kept, no name survives without the earlier ones")
    func orderIsKept() {
        let second = NodeID(rawValue: 2)
        let disk = disk(.create(file, name: "first", in: root), .create(second, name: "second", in: root))
        #expect(
            crashStates(disk, [.ordered, .journaled]).allSatisfy { $0["second"] == nil || $0["first"] != nil }
        )
        #expect(crashStates(disk, [.anything]).contains { $0["second"] != nil && $0["first"] == nil })
    }

    @Test("a file that is written through memory can hold anything")
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
