import FerryCore

/// The owner that claims, and which transfers it may take.
struct Claimant {
    /// The owner.
    var owner: OwnerID
    /// Whether it takes only transfers that run in the background.
    var isInBackground: Bool

    /// The lowest value of the column `runs_in_background` that it may take.
    var leastBackground: Int { isInBackground ? 1 : 0 }
}
