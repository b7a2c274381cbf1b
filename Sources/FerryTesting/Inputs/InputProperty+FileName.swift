import FerryCore

extension InputProperty {
    /// A name proposed by a server is sanitized permanently: one visible component of at most 255 bytes,
    /// unchanged when sanitized again (I6).
    package static let fileName = InputProperty("file-name") { input in
        let text = input.text
        if let name = FileName.sanitized(text) {
            try requireSafe(name)
            try require(FileName.sanitized(name.rawValue) == name, "a safe name stays as it is")
            try requireSafe(name.numbered(Int.max))
        }
        let chosen: FileName
        do {
            chosen = try FileName(userGiven: text)
        } catch {
            return
        }
        try require(isSame(chosen.rawValue, text), "what a user chose is taken as it is")
        for name in [chosen, chosen.partName, chosen.numbered(1), chosen.numbered(.max)] {
            try requireComponent(name.rawValue)
        }
        try require(
            chosen.partName.rawValue.utf8.suffix(5).elementsEqual(".part".utf8),
            "a part file ends in .part"
        )
        try require(chosen.partName != chosen, "a part file is another file than the final one")
    }

    /// Throws unless a name obeys the rules for untrusted names.
    static func requireSafe(_ name: FileName) throws(Violation) {
        let text = name.rawValue
        try requireComponent(text)
        let scalars = text.unicodeScalars
        try require(scalars.allSatisfy { isVisible($0) }, "a safe name has nothing that is not seen")
        try require(
            !scalars.contains { "\\<>:\"|?*".unicodeScalars.contains($0) },
            "nor what Windows forbids"
        )
        try require(
            !text.lowercased().utf8.suffix(5).elementsEqual(".part".utf8),
            "it is not the name of a part file"
        )
        if let first = scalars.first, let last = scalars.last {
            try require(!".~-".unicodeScalars.contains(first), "it is not hidden, and no option")
            try require(!first.properties.isWhitespace, "it begins with no space")
            try require(last != "." && !last.properties.isWhitespace, "it ends with no dot and no space")
        }
    }

    /// Throws unless a text is one path component that a file system accepts.
    private static func requireComponent(_ text: String) throws(Violation) {
        try require((1...255).contains(text.utf8.count), "a name has 1 to 255 bytes")
        try require(text != "." && text != "..", "a name is no directory's")
        try require(!text.utf8.contains { $0 == 0 || $0 == 0x2F }, "a name has neither a slash nor a NUL")
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0xAD, 0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF:
            false
        case 0xE0000...0xE007F: false
        default: true
        }
    }
}
