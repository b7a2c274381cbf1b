/// The conversations, and how they change. The same seed makes the same changes.
struct World {
    /// A message or a picture.
    struct Item {
        var id: String
        var conversation: String
        var name: String
        /// Grows when it is edited, and not when it is moved or renamed.
        var version = 1

        /// The ETag of each of its components.
        var etag: String { "\"\(id)-\(version)\"" }
        var isPicture: Bool { id.hasPrefix("p") }
    }

    /// A conversation.
    struct Conversation {
        var id: String
        var name: String
        /// Grows with each change of its name, and of the names, places and versions of its items.
        var revision = 1

        /// The ETag of the list of its items.
        var etag: String { "\"\(id)-\(revision)\"" }
    }

    private(set) var conversations: [Conversation] = []
    private(set) var items: [Item] = []
    /// Grows with each change.
    private(set) var revision = 0
    private var generator: SeededGenerator
    private var latest = 0

    init(seed: UInt64, conversations count: Int, items: Int) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<max(1, count) { addConversation() }
        for _ in 0..<items { addItem() }
    }

    func items(of conversation: String) -> [Item] { items.filter { $0.conversation == conversation } }

    func item(_ id: String) -> Item? { items.first { $0.id == id } }

    /// Makes one change.
    mutating func step() {
        revision += 1
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<6: addConversation()
        case 6..<40: addItem()
        case 40..<62: changeItem { world, item in world.items[item].version += 1 }
        case 62..<72: changeItem { world, item in world.items[item].name += "'" }
        case 72..<78: renameConversation()
        case 78..<90: moveItem()
        case 90..<98: changeItem { world, item in world.items.remove(at: item) }
        default: removeConversation()
        }
    }

    private mutating func addConversation() {
        latest += 1
        conversations.append(Conversation(id: "c\(latest)", name: "Conversation \(latest)"))
    }

    private mutating func addItem() {
        guard let conversation = conversations.randomElement(using: &generator) else { return }
        latest += 1
        let isPicture = latest.isMultiple(of: 4)
        let id = "\(isPicture ? "p" : "m")\(latest)"
        let name = "\(isPicture ? "Picture" : "Message") \(latest)"
        items.append(Item(id: id, conversation: conversation.id, name: name))
        touch(conversation.id)
    }

    private mutating func changeItem(_ change: (inout World, Int) -> Void) {
        guard let index = items.indices.randomElement(using: &generator) else { return }
        let conversation = items[index].conversation
        change(&self, index)
        touch(conversation)
    }

    private mutating func moveItem() {
        guard let index = items.indices.randomElement(using: &generator),
            let target = conversations.randomElement(using: &generator)
        else { return }
        touch(items[index].conversation)
        items[index].conversation = target.id
        touch(target.id)
    }

    private mutating func renameConversation() {
        guard let index = conversations.indices.randomElement(using: &generator) else { return }
        conversations[index].name += "'"
        conversations[index].revision += 1
    }

    private mutating func removeConversation() {
        guard conversations.count > 1, let index = conversations.indices.randomElement(using: &generator)
        else { return }
        let id = conversations.remove(at: index).id
        items.removeAll { $0.conversation == id }
    }

    private mutating func touch(_ conversation: String) {
        for index in conversations.indices where conversations[index].id == conversation {
            conversations[index].revision += 1
        }
    }
}
