/// A set of transfers that is cheap to copy, because a claim keeps a copy while the original changes.
///
/// Transfers that are added together have numbers that follow each other. So 64 of them share one entry, and a copy of
/// ten thousand copies fewer than two hundred.
package struct TransferIDSet: Hashable, Sendable {
    /// The members whose numbers divided by 64 are equal, a bit for each. A page has at least one member.
    private var pages: [Int64: UInt64] = [:]
    /// The number of members.
    package private(set) var count = 0

    /// An empty set.
    package init() {}

    /// A set of these transfers.
    package init(_ ids: some Sequence<TransferID>) {
        for id in ids { insert(id) }
    }

    /// Whether it has no members.
    package var isEmpty: Bool { count == 0 }

    /// Whether a transfer is a member.
    package func contains(_ id: TransferID) -> Bool {
        let (page, bit) = Self.place(of: id)
        return (pages[page] ?? 0) & bit != 0
    }

    /// Makes a transfer a member.
    package mutating func insert(_ id: TransferID) {
        let (page, bit) = Self.place(of: id)
        let former = pages[page] ?? 0
        guard former & bit == 0 else { return }
        pages[page] = former | bit
        count += 1
    }

    /// Makes sure that a transfer is no member.
    package mutating func remove(_ id: TransferID) {
        let (page, bit) = Self.place(of: id)
        guard let former = pages[page], former & bit != 0 else { return }
        pages[page] = former == bit ? nil : former & ~bit
        count -= 1
    }

    /// Makes the members of another set members of this one.
    package mutating func formUnion(_ other: TransferIDSet) {
        guard !isEmpty else { return self = other }
        for (page, members) in other.pages {
            let former = pages[page] ?? 0
            pages[page] = former | members
            count += (members & ~former).nonzeroBitCount
        }
    }

    private static func place(of id: TransferID) -> (page: Int64, bit: UInt64) {
        (id.rawValue >> 6, 1 << UInt64(id.rawValue & 63))
    }
}

extension TransferIDSet: ExpressibleByArrayLiteral {
    package init(arrayLiteral ids: TransferID...) {
        self.init(ids)
    }
}

extension TransferIDSet: Sequence {
    /// Visits the members, in any order.
    package struct Iterator: IteratorProtocol {
        private var pages: [Int64: UInt64].Iterator
        private var page: Int64 = 0
        /// The members of the page that were not visited yet.
        private var rest: UInt64 = 0

        fileprivate init(_ pages: [Int64: UInt64].Iterator) {
            self.pages = pages
        }

        package mutating func next() -> TransferID? {
            while rest == 0 {
                guard let next = pages.next() else { return nil }
                (page, rest) = (next.key, next.value)
            }
            defer { rest &= rest - 1 }
            return TransferID(rawValue: page << 6 | Int64(rest.trailingZeroBitCount))
        }
    }

    package func makeIterator() -> Iterator { Iterator(pages.makeIterator()) }
}
