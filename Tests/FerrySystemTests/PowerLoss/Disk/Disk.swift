/// A model of a disk: the changes that are durable, and those that are pending.
///
/// It guarantees only what POSIX guarantees. Bytes and lengths are durable after a sync of their file that began after
/// the change has ended. Names are durable after such a sync of their directory. A power cut may keep or lose every other
/// change, each block of a file and each change of names independently. Only the change of names by one system call is
/// atomic.
struct Disk: Sendable {
    /// A pending change of one file.
    struct FileChange: Sendable {
        enum Kind: Sendable {
            /// The new bytes of a block; `nil` if the block was cut off.
            case block(Int, [UInt8]?)
            case length(Int)
        }

        var number: Int
        var kind: Kind
    }

    /// A pending change of names.
    struct NameChange: Sendable {
        var number: Int
        var names: [String: NodeID?]
    }

    struct File: Sendable {
        var durable = FileImage()
        var current = FileImage()
        var pending: [FileChange] = []
        /// The file is mapped and written through memory. It is unknown which of its bytes are on the disk.
        var isMapped = false
    }

    struct Directory: Sendable {
        var durable: [String: NodeID] = [:]
        var pending: [NameChange] = []
    }

    private(set) var files: [NodeID: File] = [:]
    private(set) var directories: [NodeID: Directory] = [NameTree.rootNode: Directory()]
    /// The number of the latest change. Changes are numbered in order.
    private var lastNumber = 0
    /// The syncs that are in progress: their file or directory, and the last change that they cover.
    private var syncs: [Int: (node: NodeID, upTo: Int)] = [:]
    /// The last change of names that is in the journal of a file system such as ext4. There, the sync of any file also
    /// makes all earlier changes of names durable.
    private(set) var journaled = 0

    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .makeDirectory(let node, let name, let parent):
            directories[node] = Directory()
            change([name: node], in: parent)
        case .create(let node, let name, let parent):
            files[node] = File()
            change([name: node], in: parent)
        case .createNameless(let node):
            files[node] = File()
        case .bind(let names, let parent):
            change(names, in: parent)
        case .write(let bytes, let node, let offset):
            write(bytes, to: node, at: offset)
        case .resize(let node, let length):
            resize(node, to: length)
        case .map(let node):
            files[node]?.isMapped = true
        case .beginSync(let sync, let node):
            syncs[sync] = (node, lastNumber)
        case .endSync(let sync):
            guard let (node, upTo) = syncs.removeValue(forKey: sync) else { return }
            settle(node, upTo: upTo)
            journaled = max(journaled, upTo)
        case .say, .depart, .exit:
            break
        }
    }

    /// Makes everything durable, as after a long time without changes.
    mutating func settle() {
        for node in Array(files.keys) + Array(directories.keys) { settle(node, upTo: lastNumber) }
        journaled = lastNumber
    }

    // MARK: Changes

    private mutating func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func change(_ names: [String: NodeID?], in directory: NodeID) {
        let change = NameChange(number: number(), names: names)
        directories[directory]?.pending.append(change)
    }

    private mutating func write(_ bytes: [UInt8], to node: NodeID, at offset: Int) {
        guard let image = files[node]?.current else { return }
        let number = number()
        for (index, block) in image.blocks(writing: bytes, at: offset).sorted(by: { $0.key < $1.key }) {
            files[node]?.current.blocks[index] = block
            files[node]?.pending.append(FileChange(number: number, kind: .block(index, block)))
        }
        let end = offset + bytes.count
        if !bytes.isEmpty, end > image.length { setLength(end, of: node, number) }
    }

    private mutating func resize(_ node: NodeID, to length: Int) {
        guard let image = files[node]?.current, image.length != length else { return }
        let number = number()
        for (index, block) in image.blocks(cuttingTo: length).sorted(by: { $0.key < $1.key }) {
            files[node]?.current.blocks[index] = block
            files[node]?.pending.append(FileChange(number: number, kind: .block(index, block)))
        }
        setLength(length, of: node, number)
    }

    private mutating func setLength(_ length: Int, of node: NodeID, _ number: Int) {
        files[node]?.current.length = length
        files[node]?.pending.append(FileChange(number: number, kind: .length(length)))
    }

    /// Makes durable what a sync covers.
    private mutating func settle(_ node: NodeID, upTo number: Int) {
        if var file = files[node] {
            for change in file.pending where change.number <= number { file.durable.apply(change.kind) }
            file.pending.removeAll { $0.number <= number }
            files[node] = file
        }
        if var directory = directories[node] {
            for change in directory.pending where change.number <= number { directory.durable.apply(change) }
            directory.pending.removeAll { $0.number <= number }
            directories[node] = directory
        }
    }
}

extension FileImage {
    mutating func apply(_ change: Disk.FileChange.Kind) {
        switch change {
        case .block(let index, let block): blocks[index] = block
        case .length(let length): self.length = length
        }
    }
}

extension [String: NodeID] {
    mutating func apply(_ change: Disk.NameChange) {
        for (name, node) in change.names { self[name] = node }
    }
}
