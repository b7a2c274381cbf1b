import FerryCore
import FerryTesting
import Testing

@Suite("A download machine in a world that draws lots")
struct DownloadMachineWalkTests {
    @Test(arguments: UInt64(0)..<60)
    func alwaysEndsAndNeverClaimsOrPublishesWhatIsNotThere(block: UInt64) throws {
        var divisions = 0
        for offset in UInt64(0)..<60 { divisions += try walk(seed: block * 60 + offset) }
        #expect(divisions > 0, "nothing was fetched over several connections")
    }

    /// Walks through a download; returns how often a body was divided among connections.
    private func walk(seed: UInt64) throws -> Int {
        var world = SimulatedEnvironment(seed: seed)
        var options = DownloadOptions()
        options.strictResume = world.chance(20)
        options.onChange =
            world.chance(80) ? .automatic : ChangePolicy.allCases.randomElement(using: &world.random)!
        let connections = [1, 3, 8].randomElement(using: &world.random)!
        options.connections = connections
        // So that several connections have something to do.
        if connections > 1 { world.bodyPace = 12 }
        if world.chance(30) {
            options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        }
        let named = world.chance(60)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: named ? SimulatedEnvironment.place.name : nil),
            options: options
        )
        var checkpoint = Checkpoint()
        for _ in 0..<8 {
            var machine = DownloadMachine(
                specification,
                from: checkpoint,
                boot: SimulatedEnvironment.boot,
                smallestPiece: 8,
                at: .epoch
            )
            try run(&machine, in: &world, seed: seed)
            guard let next = world.settle() else { break }
            checkpoint = next
            if world.chance(20) {
                // As recovery does under another boot.
                world.losePower()
                checkpoint.part?.boot = BootID(rawValue: "before")
            }
        }
        return world.divisions
    }

    private func run(
        _ machine: inout DownloadMachine,
        in world: inout SimulatedEnvironment,
        seed: UInt64
    ) throws {
        var now = Instant.epoch
        var actions = machine.handle(.begin, at: now)
        for step in 0..<5000 {
            for action in actions { world.carryOut(action) }
            try #require(
                world.faults.isEmpty,
                "seed \(seed), step \(step): \(world.faults) in \(machine.stage)"
            )
            if world.finished != nil {
                #expect(machine.stage == .ended, "seed \(seed)")
                return
            }
            now = now.advanced(by: .milliseconds(.random(in: 0...6000, using: &world.random)))
            let event = world.nextEvent()
            try #require(
                event != nil,
                "seed \(seed), step \(step): nothing is outstanding in \(machine.stage)"
            )
            guard let event else { return }
            actions = machine.handle(event, at: now)
        }
        Issue.record("seed \(seed): no end in sight in \(machine.stage)")
    }
}
