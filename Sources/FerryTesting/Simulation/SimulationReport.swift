package import FerryCore

/// The result of one simulation.
package struct SimulationReport: Sendable {
    /// The seed, which reproduces the run.
    package var seed: UInt64
    /// The number of task steps.
    package var steps = 0
    /// A digest of all events, in order: two runs with one seed have the same digest.
    package var digest: UInt64 = 0
    /// How often each fault occurred.
    package var faults: [SimulatedFault: Int] = [:]
    /// How many transfers ended in each state.
    package var ends: [TransferState.Name: Int] = [:]
    /// The results of the calls: how many were added and how they ended, and how often part of one left,
    /// arrived, and was acted on.
    package var calls: [String: Int] = [:]
    /// The broken guarantees, each with the invariant's number and the step.
    package var violations: [String] = []
    /// The events, one line each; empty unless requested.
    package var trace: [String] = []
}
