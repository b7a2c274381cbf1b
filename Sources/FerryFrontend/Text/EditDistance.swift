/// How much two words differ.
package enum EditDistance {
    /// Number of letters to change, add or remove, and of neighbours to swap, to turn one word into another; `Int.max` for a
    /// long word. No letter is changed twice (the restricted distance of Damerau and Levenshtein).
    package static func between(_ one: String, _ other: String) -> Int {
        guard other.utf8.count <= 40 else { return .max }
        let other = Array(other.utf8)
        var before: (letter: UInt8, row: [Int])?
        var row = Array(0...other.count)
        for (place, letter) in one.utf8.enumerated() {
            var next = [place + 1]
            for (index, theirs) in other.enumerated() {
                var best = min(row[index] + (letter == theirs ? 0 : 1), next[index] + 1, row[index + 1] + 1)
                if let before, index > 0, letter == other[index - 1], before.letter == theirs {
                    best = min(best, before.row[index - 1] + 1)
                }
                next.append(best)
            }
            before = (letter, row)
            row = next
        }
        return row[other.count]
    }

    /// The first of the words that are most like another one; `nil` if each of them has more than `most` mistakes.
    package static func nearest(to word: String, among words: [String], within most: Int = .max) -> String? {
        let nearest = words.min { between($0, word) < between($1, word) }
        return nearest.flatMap { between($0, word) <= most ? $0 : nil }
    }
}
