import Ferry

extension ObjectPrefix {
    /// The length of what some keys have in common up to its last slash, in bytes. Their places here begin after it.
    ///
    /// - Parameter common: what the keys have in common.
    static func folderLength(of common: String) -> Int {
        let bytes = common.utf8
        return bytes.lastIndex(of: UInt8(ascii: "/")).map {
            bytes.distance(from: bytes.startIndex, to: $0) + 1
        } ?? 0
    }
}
