/// A large value whose copies share storage, so that a list of its holders keeps it only once.
///
/// It is still a value: what changes gets storage of its own first.
struct Shared<Value: Hashable & Sendable>: Sendable {
    /// The value alone. An array copies its storage before a change only if a copy shares it.
    private var storage: [Value]

    /// Puts a value into new storage.
    init(_ value: Value) { storage = [value] }

    /// The value. A new one is put into new storage.
    var value: Value {
        get { storage[0] }
        set { storage = [newValue] }
    }

    /// Changes the value, in place unless a copy shares its storage.
    mutating func change<Result>(_ body: (inout Value) -> Result) -> Result { body(&storage[0]) }

    /// Whether both are the same storage.
    func isIdentical(to other: Shared) -> Bool {
        storage.withUnsafeBufferPointer { own in
            other.storage.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress }
        }
    }
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
