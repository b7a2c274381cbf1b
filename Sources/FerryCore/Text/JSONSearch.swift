/// Places in a JSON text that are looked for together, and what one reading of the text has found there.
///
/// They are a tree, so that many pointers cost no more than one: a name or an index leads from a place to the next.
struct JSONSearch {
    /// The number of a place.
    typealias Place = Int

    private struct Node {
        var members: [ArraySlice<UInt8>: Place] = [:]
        var elements: [Int: Place] = [:]
        var range: Range<Int>?
        var isUnique = true
    }

    private var nodes = [Node()]
    /// The places that were asked for, after those that lead to them.
    private var paths: [JSONPointer: [Place]] = [:]

    /// The place of the whole text.
    var whole: Place { 0 }

    init(for pointers: some Sequence<JSONPointer>) {
        for pointer in pointers where paths[pointer] == nil {
            var path = [whole]
            for token in pointer.tokens { path.append(add(token, to: path[path.count - 1])) }
            paths[pointer] = path
        }
    }

    private mutating func add(_ token: [UInt8], to place: Place) -> Place {
        if let known = nodes[place].members[token[...]] { return known }
        nodes[place].members[token[...]] = nodes.count
        // No leading zeros, and "-" is the element after the last (RFC 6901 §4).
        if let index = Int(String(decoding: token, as: UTF8.self)), index >= 0,
            Array("\(index)".utf8) == token
        {
            nodes[place].elements[index] = nodes.count
        }
        nodes.append(Node())
        return nodes.count - 1
    }

    // MARK: Reading

    /// The place of an element of the array at `place`, if something is looked for there.
    func element(_ index: Int, of place: Place) -> Place? { nodes[place].elements[index] }

    /// The place of a member of the object at `place`, if something is looked for there.
    ///
    /// - Parameter name: the name as it is written, with its quotes.
    func member(_ name: ArraySlice<UInt8>, of place: Place) -> Place? {
        guard !nodes[place].members.isEmpty else { return nil }
        guard name.contains(UInt8(ascii: "\\")) else {
            return nodes[place].members[name.dropFirst().dropLast()]
        }
        return JSONText.string(name).flatMap { nodes[place].members[Array($0.utf8)[...]] }
    }

    /// Notes where the value at a place is.
    mutating func found(_ range: Range<Int>, at place: Place) {
        nodes[place].isUnique = nodes[place].range == nil
        nodes[place].range = range
    }

    // MARK: Results

    /// The places with a value, to which unique names lead.
    var results: [JSONPointer: Range<Int>] {
        paths.compactMapValues { path in
            path.allSatisfy { nodes[$0].isUnique } ? nodes[path[path.count - 1]].range : nil
        }
    }
}
