/// A large value whose copies share storage, so that a list of its holders keeps it only once.
///
/// It is still a value: a change allocates separate storage.
struct Shared<Value: Hashable & Sendable>: Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    /// Puts a value into new storage.
    init(_ value: Value) { storage = Storage(value) }

    /// The value.
    var value: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }

    /// Whether both are the same storage.
    func isIdentical(to other: Shared) -> Bool { storage === other.storage }
}

extension Shared: Hashable {
    static func == (lhs: Shared, rhs: Shared) -> Bool {
        lhs.isIdentical(to: rhs) || lhs.value == rhs.value
    }

    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Shared: Codable where Value: Codable {
    init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
