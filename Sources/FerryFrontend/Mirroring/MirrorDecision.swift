import Ferry

/// What becomes of a listed file, as a table of what is known.
package struct MirrorDecision: Hashable, Sendable {
    /// How it compares.
    package let comparison: MirrorEntry.Comparison
    /// Whether it is marked for download now. What is marked already stays marked.
    package let marks: Bool

    /// What is in the place of a file.
    package enum Local: Hashable, Sendable, CaseIterable {
        /// Nothing.
        case absent
        /// The file that the mirror placed, unchanged.
        case placed
        /// Anything else.
        case other
        /// Nothing that can be reached: a link or a file is in the place of a directory on the way.
        case unreachable
    }

    /// Decides about a file.
    ///
    /// - Parameters:
    ///   - version: what the listing says now.
    ///   - known: what was known of the file; `nil` if it was not listed before.
    ///   - isMarked: whether its download is not complete.
    ///   - local: what is in its place.
    ///   - isEqual: whether what is in its place has the listed digest; `nil` if that was not compared.
    ///   - overwrites: whether files that were changed here are replaced.
    package init(
        _ version: ListedVersion,
        known: MirrorEntry?,
        isMarked: Bool,
        local: Local,
        isEqual: Bool? = nil,
        overwrites: Bool
    ) {
        if isEqual == true, !isMarked {
            self.init(.unchanged, marks: false)
            return
        }
        let isInTheWay = local == .other && !overwrites
        guard let known, known.kind == .file else {
            self.init(isInTheWay ? .conflict : .new, marks: !isInTheWay)
            return
        }
        let isSame = version.isSame(as: known.version)
        if isMarked {
            // The download continues. A second mark would stay after it.
            let comparison: MirrorEntry.Comparison =
                if isInTheWay {
                    // It may be the file of that download, whose end was not noted.
                    .conflict
                } else if local == .absent {
                    // A file that the mirror placed earlier is not here any more.
                    .new
                } else if isSame && known.comparison == .asked {
                    .asked
                } else {
                    known.placed == nil ? .new : .changed
                }
            self.init(comparison, marks: !isSame)
            return
        }
        let isUnknown = !version.tellsVersionsApart || !known.version.tellsVersionsApart
        switch (local, isUnknown, isSame) {
        case (.absent, _, _): self.init(.new, marks: true)
        // The disk has lost something of it.
        case (.placed, _, true) where isEqual == false: self.init(.changed, marks: true)
        case (.placed, true, _): self.init(.asked, marks: true)
        case (.placed, false, true): self.init(.unchanged, marks: false)
        case (.placed, false, false): self.init(.changed, marks: true)
        case (.other, _, _) where overwrites, (.unreachable, _, _) where overwrites:
            self.init(.changed, marks: true)
        case (.other, false, true), (.unreachable, false, true): self.init(.kept, marks: false)
        case (.unreachable, true, _): self.init(.kept, marks: false)
        // What the mirror never placed has no mirrored version.
        case (.other, true, _) where known.placed != nil: self.init(.kept, marks: false)
        case (.other, _, _): self.init(.conflict, marks: false)
        case (.unreachable, false, false): self.init(.changed, marks: true)
        }
    }

    private init(_ comparison: MirrorEntry.Comparison, marks: Bool) {
        (self.comparison, self.marks) = (comparison, marks)
    }
}
