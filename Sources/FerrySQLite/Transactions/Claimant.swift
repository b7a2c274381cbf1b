import FerryCore

/// Who claims, and what of the lines it may take.
struct Claimant {
    /// The owner.
    var owner: OwnerID
    /// Whether it takes only what may run in the background.
    var isInBackground: Bool

    /// The lowest value in the column `runs_in_background` of what it may take.
    var leastBackground: Int { isInBackground ? 1 : 0 }
}
