extension FileName {
    /// Makes a name that a server or a URL proposes safe.
    ///
    /// Only the last component of a path counts, with either slash. Control and format characters (including those that
    /// reverse the direction of text or have no width), leading dots and tildes, trailing dots, and surrounding space
    /// are removed. So the file is never hidden, and its name is displayed as it is. Characters that Windows forbids
    /// become `_`, its device names and a leading `-` are made harmless, and a long name is shortened before its
    /// extension. A name that ends like a part file's, `x.part`, becomes `x_part`: it could be that of another
    /// download.
    ///
    /// - Returns: `nil` when nothing is left.
    package static func sanitized(_ untrusted: String) -> FileName? {
        guard var text = isPlain(untrusted) ? untrusted : cleaned(untrusted) else { return nil }
        if isDeviceName(text) { text = "_" + text }
        guard text.utf8.count > lengthLimit else { return FileName(unchecked: unlikePartName(text)) }
        let (stem, fileExtension) = split(text)
        let room = lengthLimit - fileExtension.utf8.count
        var shortened = String(trimmed(stem.prefix(bytes: room).unicodeScalars[...]))
        // Only the end of the name may have told it from a device.
        if isDeviceName(shortened + fileExtension) { shortened = "_" + shortened }
        return FileName(unchecked: unlikePartName(shortened + fileExtension))
    }

    /// Whether a name is clean already, as most are: ASCII letters and digits, with hyphens, underscores and dots between them.
    private static func isPlain(_ name: String) -> Bool {
        let bytes = name.utf8
        guard let first = bytes.first, let last = bytes.last else { return false }
        return (first.isLetter || first.isDigit) && (last.isLetter || last.isDigit)
            && bytes.allSatisfy { $0.isLetter || $0.isDigit || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
    }

    /// The last component of a path without what is invisible, hidden or forbidden; `nil` when nothing is left.
    private static func cleaned(_ untrusted: String) -> String? {
        let visible = untrusted.unicodeScalars.filter { !isInvisible($0) }
        let component = visible.suffix { $0 != "/" && $0 != "\\" }
        var name = String.UnicodeScalarView()
        for scalar in trimmed(component) {
            name.append(isForbidden(scalar) ? "_" : scalar)
        }
        guard let first = name.first else { return nil }
        if first == "-" { name.replaceSubrange(name.startIndex...name.startIndex, with: ["_"]) }
        return String(name)
    }

    /// The name of the sealed file, with `.age` behind it.
    package var sealed: FileName { Self.sanitized(rawValue + ".age") ?? self }

    /// Changes a name that ends like that of a part file. Case is ignored, as some file systems ignore it.
    private static func unlikePartName(_ name: String) -> String {
        let ending = name.utf8.suffix(partSuffix.utf8.count)
        guard ending.map(\.lowercasedASCII).elementsEqual(partSuffix.utf8) else { return name }
        return String(name.unicodeScalars.dropLast(ending.count)) + "_part"
    }

    /// Controls; format characters such as bidirectional overrides, isolates, joiners and byte-order marks; and the
    /// separators of lines and paragraphs.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        // Reserved for characters that are not displayed, such as U+2065.
        case .unassigned: scalar.properties.isDefaultIgnorableCodePoint
        default: false
        }
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "<", ">", ":", "\"", "|", "?", "*": true
        default: false
        }
    }

    private static func trimmed(
        _ scalars: Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
        let tail = scalars.drop { $0 == "." || $0 == "~" || isSpace($0) }
        guard let last = tail.lastIndex(where: { $0 != "." && !isSpace($0) }) else {
            return tail[tail.endIndex...]
        }
        return tail[...last]
    }

    /// Whether Windows reserves the name for a device, with any extension. Superscript digits count as digits there.
    private static func isDeviceName(_ name: String) -> Bool {
        let stem = name.unicodeScalars.prefix { $0 != "." }
        guard let last = stem.lastIndex(where: { !$0.properties.isWhitespace }) else { return false }
        return devices.contains(String(stem[...last]).utf8.map(\.lowercasedASCII).text)
    }

    private static let devices: Set<String> = {
        let numbers = (0...9).map { String($0) } + ["\u{B9}", "\u{B2}", "\u{B3}"]
        return Set(["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"])
            .union(numbers.flatMap { ["com" + $0, "lpt" + $0] })
    }()
}

extension BidirectionalCollection {
    /// The longest suffix whose elements all satisfy `predicate`.
    fileprivate func suffix(while predicate: (Element) -> Bool) -> SubSequence {
        self[(lastIndex { !predicate($0) }.map { index(after: $0) } ?? startIndex)...]
    }
}
