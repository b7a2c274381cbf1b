/// How much two words differ.
package enum EditDistance {
    /// Number of letters to change, add or remove to turn one word into another (Levenshtein); `Int.max` for a long word.
    package static func between(_ one: String, _ other: String) -> Int {
        guard other.utf8.count <= 40 else { return .max }
        let other = Array(other.utf8)
        var row = Array(0...other.count)
        for (place, letter) in one.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = place + 1
            for (index, theirs) in other.enumerated() {
                let change = diagonal + (letter == theirs ? 0 : 1)
                diagonal = row[index + 1]
                row[index + 1] = min(change, row[index] + 1, row[index + 1] + 1)
            }
        }
        return row[other.count]
    }
}
