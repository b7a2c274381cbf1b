import FerryCore

/// Who claims, and what of the lines it may take.
struct Claimant {
    /// The owner.
    var owner: OwnerID
    /// Whether it takes only what may run in the background.
    var isInBackground: Bool

    /// The highest value in the column `foreground_only` of what it may take.
    var mostForegroundOnly: Int { isInBackground ? 0 : 1 }
}
