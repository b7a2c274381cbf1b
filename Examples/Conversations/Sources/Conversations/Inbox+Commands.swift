import Ferry
import Foundation

/// What the user can type.
extension Inbox {
    /// Carries out a command.
    func perform(_ words: [String]) async throws {
        switch (words.first, words.dropFirst().first) {
        case ("see", let id?): try await see(NodeID(id))
        case ("open", let id?): try await open(NodeID(id))
        case ("show", nil): try await show()
        case ("export", let folder?): try await export(to: folder)
        case (nil, _): break
        default: Self.say("see CONVERSATION, open ITEM, show, export FOLDER")
        }
        try await fetch()
    }

    /// The thumbnails of a conversation are wanted, also of items that come later.
    func see(_ conversation: NodeID) async throws {
        try await want(.thumbnail, under: conversation)
    }

    /// The data of an item is wanted, also of later versions.
    private func open(_ item: NodeID) async throws {
        try await want(.data, under: item)
        guard let file = try await shelf.open(.data, of: item) else { return }
        Self.say(String(decoding: try await file.read(0..<1_024), as: UTF8.self))
    }

    /// Notes what is wanted of a node and those below it, and marks it, in one commit. What was wanted before is not marked
    /// again.
    private func want(_ component: NodeComponents, under id: NodeID) async throws {
        guard try await source.tree.node(id) != nil else { return Self.say("There is no \(id) here.") }
        var discoveries: [NodeDiscovery] = []
        try await source.tree.walk(under: id) { visited in
            var node = visited.node
            if !node.wanted.contains(component) {
                node.wanted.insert(component)
                discoveries.append(NodeDiscovery(node, marking: node.source == nil ? [] : component))
            }
            return .descend
        }
        try await source.tree.discover(discoveries)
    }

    private func show() async throws {
        try await source.tree.walk { visited in
            let node = visited.node
            if node.parent == nil {
                Self.say("\(node.id): \(node.name)")
            } else {
                Self.say("  \(node.id): \(node.name) | \(try await shelf.summary(of: node.id))")
            }
            return .descend
        }
    }

    private func export(to folder: String) async throws {
        let items = try await source.nodes().values.filter { $0.parent != nil }
        try await shelf.export(items.map(\.id), to: URL(fileURLWithPath: folder).path)
    }

    /// Writes a line at once, also through a pipe.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
