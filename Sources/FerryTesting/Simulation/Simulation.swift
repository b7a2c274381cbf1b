import Ferry

/// A deterministic simulation: the real engine over a world in memory in which everything that can fail does.
///
/// One seed gives exactly one run. See `docs/SIMULATION.md` for what is simulated and what is not.
package enum Simulation {
    /// Runs the world of one seed to its end.
    ///
    /// - Parameter isTraced: whether the report lists the events.
    package static func run(seed: UInt64, isTraced: Bool = false) throws -> SimulationReport {
        let world = try SimulatedWorld(seed: seed, isTraced: isTraced)
        defer { world.dissolve() }
        let beginning = world.scenario.errands.prefix(world.scenario.beginning)
        world.startRunner(Array(beginning), scope: .everything(untilDrained: false))
        for _ in 1..<world.scenario.runners { world.startRunner() }
        while world.trace.step < world.scenario.chaos, !world.trace.hasViolation {
            if world.dice.happens(world.rates.events) { world.disturb() }
            if world.scenario.keeps, world.dice.happens(world.rates.keeping) {
                SimulatedKeeper(world: world).keep()
            }
            if world.runners.count < world.scenario.runners, world.dice.happens(20) { world.startRunner() }
            if !world.advance() { world.startRunner() }
        }
        if !world.trace.hasViolation { world.heal() }
        if !world.trace.hasViolation { world.settle() }
        var report = world.trace.report(seed: seed)
        report.calls = world.checker.calls.totals(world.checker.rows)
        for row in world.checker.rows { report.ends[row.state.name, default: 0] += 1 }
        return report
    }
}
