import Foundation

/// Reading the state of a disk at the beginning of a trace.
extension Disk {
    /// Reads a directory, and takes everything in it to be durable.
    static func read(_ root: String) throws -> (disk: Disk, names: NameTree) {
        var disk = Disk()
        var names = NameTree(root: root)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root).sorted()
        for path in paths {
            let whole = NameTree.normal("\(root)/\(path)")
            let node = names.freshNode
            let (parent, name) = try names.place(of: whole)
            var operations: [DiskOperation]
            if try FileManager.default.attributesOfItem(atPath: whole)[.type] as? FileAttributeType
                == .typeDirectory
            {
                operations = [.makeDirectory(node, name: name, in: parent)]
            } else {
                let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: whole)))
                operations = [.create(node, name: name, in: parent), .write(bytes, to: node, at: 0)]
            }
            for operation in operations {
                names.apply(operation)
                disk.apply(operation)
            }
        }
        disk.settle()
        return (disk, names)
    }

    /// The differences between a directory and this model. They show every change that the trace has missed.
    func differences(from root: String, _ names: NameTree) throws -> [String] {
        let expected = names.allPaths.filter { $0.key != names.root }
        let found = Set(
            try FileManager.default.subpathsOfDirectory(atPath: root).map { "\(names.root)/\($0)" }
        )
        var differences = found.symmetricDifference(expected.keys).map { "\($0): there, or not there" }
        for (path, node) in expected where found.contains(path) {
            guard let file = files[node], !file.isMapped else { continue }
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            if bytes != file.current.bytes { differences.append("\(path): other bytes") }
        }
        return differences.sorted()
    }
}
