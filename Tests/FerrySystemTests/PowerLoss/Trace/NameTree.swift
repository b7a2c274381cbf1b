/// The names below one directory, and the file or directory that each leads to now.
struct NameTree: Sendable {
    /// The watched directory.
    let root: String
    static let rootNode = NodeID(rawValue: 0)

    private(set) var directories: [NodeID: [String: NodeID]] = [NameTree.rootNode: [:]]
    private var last = NameTree.rootNode

    init(root: String) {
        self.root = Self.normal(root)
    }

    /// An unused node number.
    var freshNode: NodeID { NodeID(rawValue: last.rawValue + 1) }

    /// Whether a path is the root or below it.
    func contains(_ path: String) -> Bool { path == root || path.hasPrefix(root + "/") }

    /// The node that a path leads to.
    subscript(path: String) -> NodeID? {
        guard contains(path) else { return nil }
        var node = Self.rootNode
        for name in path.dropFirst(root.count).split(separator: "/") {
            guard let next = directories[node]?[String(name)] else { return nil }
            node = next
        }
        return node
    }

    /// The directory and the name of a path. The path need not exist.
    func place(of path: String) throws -> (directory: NodeID, name: String) {
        guard let slash = path.lastIndex(of: "/"), path != root,
            let directory = self[String(path[..<slash])], directories[directory] != nil
        else { throw TraceProblem("\(path) is changed, and its directory is not watched") }
        return (directory, String(path[path.index(after: slash)...]))
    }

    func node(_ name: String, in directory: NodeID) -> NodeID? { directories[directory]?[name] }

    /// Every path that leads to a node.
    func paths(of node: NodeID) -> [String] {
        allPaths.filter { $0.value == node }.map(\.key).sorted()
    }

    /// Every path with its node.
    var allPaths: [String: NodeID] {
        var paths: [String: NodeID] = [root: Self.rootNode]
        var waiting = [(root, Self.rootNode)]
        while let (path, node) = waiting.popLast() {
            for (name, child) in directories[node] ?? [:] {
                paths["\(path)/\(name)"] = child
                if directories[child] != nil { waiting.append(("\(path)/\(name)", child)) }
            }
        }
        return paths
    }

    mutating func apply(_ operation: DiskOperation) {
        switch operation {
        case .makeDirectory(let node, let name, let parent):
            last = max(last, node)
            directories[node] = [:]
            directories[parent]?[name] = node
        case .create(let node, let name, let parent):
            last = max(last, node)
            directories[parent]?[name] = node
        case .createNameless(let node):
            last = max(last, node)
        case .bind(let changes, let parent):
            for (name, node) in changes { directories[parent]?[name] = node }
        case .write, .resize, .map, .beginSync, .endSync, .say, .depart, .exit:
            break
        }
    }

    /// A path without empty components, `.` and `..`. It does not resolve symbolic links; the tests' directories have none.
    static func normal(_ path: String) -> String {
        var components: [Substring] = []
        for component in path.split(separator: "/") where component != "." {
            if component == ".." { _ = components.popLast() } else { components.append(component) }
        }
        return "/" + components.joined(separator: "/")
    }
}
