/// What a cancelled transfer leaves behind until it is removed.
package enum WorkResidue: Hashable, Sendable {
    /// A part file on this machine. Any process can remove it.
    case partFile(FilePlace, PartFileClaim)
}
