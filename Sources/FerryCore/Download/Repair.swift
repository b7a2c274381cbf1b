/// What is done about a wrong digest.
///
/// If the pieces have digests, only the wrong pieces are fetched again. Otherwise the bytes of several sources may
/// not belong together, and one source alone gives what the others gave. If one source gave all bytes, another source
/// is asked for all of them. Each of these steps excludes a source, so repairing ends.
///
/// No chunk of a sealed file is sealed twice with one key. So where bytes of another file would be fetched again, a sealed one
/// starts over with another key, once for each source. So does a file with sealed bytes that do not open, from any source.
enum Repair: Hashable, Sendable {
    /// No source is left that might have other bytes, or the disk has damaged them again.
    case fail(Problem)
    /// The digests of the pieces tell which bytes of a file of this length are wrong.
    case findPieces(Int64, wrongWhole: Checksum)
    /// These ranges are dropped and fetched again, after these sources were excluded.
    case fetchAgain([Range<Int64>], note: TransferNote, without: [SourceID])
    /// The file is replaced and all of it is fetched, after these sources were excluded. A sealed file gets another key. That of
    /// another tool is deleted, as the user allowed.
    case replace(note: TransferNote, without: [SourceID])
    /// One source gave every byte: another source is asked for all of them.
    case startOver(without: SourceID)

    /// How often pieces are fetched again from the only source.
    static let mostPieces = 2
}
