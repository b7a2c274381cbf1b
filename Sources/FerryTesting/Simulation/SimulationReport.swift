/// What one run of a simulation came to.
package struct SimulationReport: Sendable {
    /// The seed, which gives the same run again.
    package var seed: UInt64
    /// How many tasks were let go on for a while.
    package var steps = 0
    /// A digest of everything that happened, in order: two runs with one seed have the same one.
    package var digest: UInt64 = 0
    /// How often each fault occurred.
    package var faults: [SimulatedFault: Int] = [:]
    /// How many transfers ended in each state.
    package var ends: [String: Int] = [:]
    /// What became of the calls: how many were added and how they ended, and how often something of one left, arrived, and
    /// was acted on.
    package var calls: [String: Int] = [:]
    /// The promises that were broken, each with the invariant's number and the step.
    package var violations: [String] = []
    /// What happened, one line each; empty unless it was asked for.
    package var trace: [String] = []
}
