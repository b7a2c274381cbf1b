import Ferry

/// What becomes of a listed file, as a table of what is known.
package struct MirrorDecision: Hashable, Sendable {
    /// How it compares.
    package let standing: MirrorEntry.Standing
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
        guard let known, known.kind == .file else {
            self.init(.new, marks: true)
            return
        }
        let isSame = version.isSame(as: known.version)
        if isMarked {
            // The download goes on. Another mark would outlive it.
            let standing: MirrorEntry.Standing = known.placed == nil ? .new : .changed
            self.init(isSame && known.standing == .asked ? .asked : standing, marks: !isSame)
            return
        }
        let isUnknown = !version.tellsVersionsApart || !known.version.tellsVersionsApart
        switch (local, isUnknown, isSame) {
        case (.absent, _, _): self.init(.new, marks: true)
        // The disk has lost something of it.
        case (.placed, _, true) where isEqual == false: self.init(.changed, marks: true)
        case (.placed, true, _): self.init(.asked, marks: true)
        case (.placed, false, true): self.init(.unchanged, marks: false)
        case (.other, true, _) where !overwrites: self.init(.kept, marks: false)
        case (.other, false, true) where !overwrites: self.init(.kept, marks: false)
        // The download finds out that the file is not the placed one, and fails unless it is to be replaced.
        case (.placed, false, false), (.other, _, _): self.init(.changed, marks: true)
        }
    }

    private init(_ standing: MirrorEntry.Standing, marks: Bool) {
        (self.standing, self.marks) = (standing, marks)
    }
}
