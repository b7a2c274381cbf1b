/// A large value whose copies share storage, so that a list of its holders keeps it only once.
///
/// It is still a value: a change allocates storage of its own.
struct Shared<Value: Hashable & Sendable>: Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var storage: Storage

    /// Puts a value into storage of its own.
    init(_ value: Value) { storage = Storage(value) }

    /// The value.
    var value: Value {
        get { storage.value }
        set { storage = Storage(newValue) }
    }
}

extension Shared: Hashable {
    static func == (lhs: Shared, rhs: Shared) -> Bool {
        lhs.storage === rhs.storage || lhs.value == rhs.value
    }

    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Shared: Codable where Value: Codable {
    init(from decoder: any Decoder) throws { self.init(try Value(from: decoder)) }

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
