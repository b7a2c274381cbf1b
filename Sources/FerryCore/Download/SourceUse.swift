/// How the sources of one file are used together.
enum SourceUse: Hashable, Sendable, CaseIterable {
    /// One source gives every missing byte.
    case alone
    /// Another source is asked only when the one before it has failed.
    case failover
    /// They are asked side by side. A strong validator pins each of them, and bytes are compared wherever those of two
    /// sources meet.
    case compared
    /// They are asked side by side. A digest tells in the end whether their bytes belong together.
    case verified
}

extension SourceUse {
    /// What the decision depends on.
    struct Situation: Hashable, Sendable {
        /// Whether there is any source except the URL itself.
        var hasOthers: Bool
        /// Whether bytes of several sources were found not to belong together.
        var isAlone: Bool
        /// Whether a digest proves in the end where every byte came from.
        var isVerifiedLater: Bool
        /// Whether the bytes go to a stream, which cannot take back any of them.
        var isStream: Bool
        /// Whether the bytes are sealed on the disk.
        var isSealed: Bool
        /// Whether pieces have digests, although these prove no origin.
        var hasPieces: Bool
        /// Whether the user wants more proof than equal bytes.
        var isStrict: Bool
        /// Whether a strong validator pins the parts of the lead's file, whose length is known.
        var isLeadPinned: Bool
        /// Whether the record of the sources of bytes is half full, because these meet in many places.
        var isScattered: Bool

        /// Whether bytes of several sources are compared where they meet: no digest proves their origin, and they can be read
        /// from the disk in clear.
        var canCompare: Bool { !isVerifiedLater && !isStream && !isSealed && !hasPieces }
    }

    /// Returns how sources are used. In doubt, it is failover.
    static func decide(_ situation: Situation) -> SourceUse {
        guard situation.hasOthers, !situation.isAlone else { return .alone }
        if situation.isVerifiedLater { return .verified }
        guard situation.canCompare, !situation.isStrict, situation.isLeadPinned, !situation.isScattered else {
            return .failover
        }
        return .compared
    }
}

extension SourceUse.Situation {
    /// The situation of a download.
    init(_ download: Download) {
        let (options, progress) = (download.options, download.progress)
        self.init(
            hasOthers: download.hasMirrors,
            isAlone: progress.mirroring.isAlone,
            isVerifiedLater: download.isVerifiedLater,
            isStream: download.isStream,
            isSealed: options.isSealed,
            hasPieces: options.pieces != nil,
            isStrict: download.specification.resumesStrictly,
            isLeadPinned: progress.validator.pinsParts && progress.contentCoding == nil
                && progress.segments.length != nil,
            isScattered: progress.mirroring.provenance.spans.count >= Provenance.mostSpans / 2
        )
    }
}
