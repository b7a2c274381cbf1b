/// A line of distinct elements: first come, first served. Any element may leave at any time.
///
/// Every operation takes constant time on average. An element that leaves from the middle leaves a gap, and gaps are
/// closed when they are half of the line.
struct WaitingLine<Element: Hashable & Sendable>: Sendable {
    private var places: [Element?] = []
    /// The place of each element, counted over all that ever stood in line.
    private var numbers: [Element: Int] = [:]
    /// The number of the first place.
    private var base = 0
    /// Gaps at the beginning of `places`.
    private var gone = 0

    /// The number of elements in line.
    var count: Int { numbers.count }

    /// Whether the line is empty.
    var isEmpty: Bool { numbers.isEmpty }

    /// The next element. The line neither begins nor ends with a gap.
    var first: Element? { isEmpty ? nil : places[gone] }

    /// Whether an element stands in line.
    func contains(_ element: Element) -> Bool { numbers[element] != nil }

    /// All elements, in order.
    var elements: [Element] { places.compactMap(\.self) }

    /// Adds an element at the end, unless it stands in line.
    mutating func append(_ element: Element) {
        guard numbers[element] == nil else { return }
        numbers[element] = base + places.count
        places.append(element)
    }

    /// Takes out the first.
    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        remove(first)
        return first
    }

    /// Takes out the last.
    mutating func popLast() -> Element? {
        guard !isEmpty, let last = places[places.count - 1] else { return nil }
        remove(last)
        return last
    }

    /// Takes out an element, if it stands in line.
    mutating func remove(_ element: Element) {
        guard let number = numbers.removeValue(forKey: element) else { return }
        places[number - base] = nil
        guard !isEmpty else {
            base += places.count
            (places, gone) = ([], 0)
            return
        }
        while places[gone] == nil { gone += 1 }
        while places[places.count - 1] == nil { places.removeLast() }
        if places.count > 16, numbers.count * 2 < places.count { closeGaps() }
    }

    private mutating func closeGaps() {
        places = places.filter { $0 != nil }
        (base, gone) = (0, 0)
        for (number, element) in places.enumerated() {
            if let element { numbers[element] = number }
        }
    }
}
