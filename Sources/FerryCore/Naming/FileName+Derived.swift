extension FileName {
    /// The ending of every part file's name.
    static let partSuffix = ".part"

    /// The name of the unfinished file, `NAME.part`.
    ///
    /// A name too long for that is shortened, and a hash of the whole name is added: `STEM~1a2b3c4d.part`. So two
    /// long names with the same beginning do not share a part file.
    package var partName: FileName {
        let suffix = Self.partSuffix
        guard rawValue.utf8.count + suffix.utf8.count > Self.lengthLimit else {
            return FileName(unchecked: rawValue + suffix)
        }
        let mark = "~" + Self.fingerprint(rawValue)
        let stem = rawValue.prefix(bytes: Self.lengthLimit - mark.utf8.count - suffix.utf8.count)
        return FileName(unchecked: stem + mark + suffix)
    }

    /// The name of the unfinished file if others have taken the names before: `NAME.part`, `NAME~1.part`, `NAME~2.part`. No
    /// likely file has such a name for its own part file, as `NAME.1` would have.
    func partName(_ number: Int) -> FileName {
        number == 0 ? partName : FileName(unchecked: "\(rawValue)~\(number)").partName
    }

    /// The name of the draft of a file that no transfer records: `.NAME.ferry.part`. It is always the same, so that the next writer
    /// of the file can remove what a killed one left. No download has such a part file unless a person names it `.NAME.ferry`:
    /// names from servers never begin with a dot.
    package var draftName: FileName { FileName(unchecked: ".\(rawValue).ferry").partName }

    /// The name with a number before its last extension, as aria2 does: `file.tar.gz` → `file.tar.1.gz`.
    ///
    /// A leading dot makes no extension: `.profile` → `.profile.1`. A stem that is too long is shortened.
    package func numbered(_ number: Int) -> FileName {
        let (stem, fileExtension) = Self.split(rawValue)
        let tail = ".\(number)" + fileExtension
        return FileName(unchecked: stem.prefix(bytes: Self.lengthLimit - tail.utf8.count) + tail)
    }

    /// Splits a name before its last extension, which includes the dot.
    ///
    /// An ending longer than any real extension stays with the stem, so that there is always room for a stem.
    static func split(_ name: String) -> (stem: String, fileExtension: String) {
        let scalars = name.unicodeScalars
        guard let dot = scalars.lastIndex(of: "."), dot != scalars.startIndex,
            name.utf8.distance(from: dot, to: name.utf8.endIndex) <= 32
        else { return (name, "") }
        return (String(scalars[..<dot]), String(scalars[dot...]))
    }

    /// FNV-1a of 64 bits, its halves folded together, as eight hexadecimal digits. It must not change: a later
    /// version of Ferry must find the part file again.
    private static func fingerprint(_ name: String) -> String {
        var hash = FNV1a()
        hash.add(name.utf8)
        let digits = String(UInt32(truncatingIfNeeded: hash.value ^ hash.value >> 32), radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }
}

extension String {
    /// The longest beginning of at most `limit` bytes of UTF-8 that splits no character. If the first character alone
    /// is longer, it splits no scalar.
    func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let end = utf8.index(startIndex, offsetBy: Swift.max(0, limit))
        let scalarEnd = unicodeScalars.index(atOrBefore: end)
        let characterEnd = index(atOrBefore: scalarEnd)
        return String(self[..<(characterEnd == startIndex ? scalarEnd : characterEnd)])
    }
}

extension BidirectionalCollection where Index == String.Index {
    /// Returns `position` if an element starts there, or else the start of the element around it.
    fileprivate func index(atOrBefore position: Index) -> Index {
        position == endIndex ? position : index(before: index(after: position))
    }
}
