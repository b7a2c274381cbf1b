import FerryTesting
import Testing

@testable import FerryCore

@Suite("A download machine with random events")
struct DownloadMachineWalkTests {
    @Test(arguments: UInt64(0)..<30)
    func alwaysEndsAndNeverClaimsOrPublishesWhatIsNotThere(block: UInt64) throws {
        let worlds = try (UInt64(0)..<120).map { try walk(seed: block * 120 + $0) }
        #expect(worlds.contains { $0.firstDivisions > 0 }, "no first attempt had several connections")
        #expect(
            worlds.contains { $0.divisions > $0.firstDivisions },
            "no later attempt had several connections"
        )
        #expect(worlds.contains { $0.recalls > 0 }, "nothing was looked up of a server")
        #expect(worlds.contains { $0.mirrorBodies > 0 }, "nothing was fetched from a mirror")
    }

    @Test(arguments: UInt64(0)..<20)
    func mendsWhatMirrorsGotWrong(block: UInt64) throws {
        let worlds = try (UInt64(0)..<60).map { try walk(seed: block * 60 + $0, isMirrored: true) }
        let mended = worlds.count { $0.wrongDigests > 0 && $0.isPublished }
        #expect(mended > 0, "no file was mended")
    }

    @Test(arguments: UInt64(0)..<20)
    func publishesNoMixtureOfMirrorsWithoutADigest(block: UInt64) throws {
        let worlds = try (UInt64(0)..<60).map {
            try walk(seed: block * 60 + $0, isMirrored: true, hasDigest: false)
        }
        let compared = worlds.count { $0.comparisons > 0 && $0.isPublished }
        #expect(compared > 0, "no file was published after a comparison")
    }

    /// Walks through a download; returns the world as it is then.
    private func walk(
        seed: UInt64,
        isMirrored: Bool = false,
        hasDigest: Bool = true
    ) throws -> SimulatedEnvironment {
        var world = SimulatedEnvironment(seed: seed)
        if isMirrored { (world.kind, world.changes, world.faultRate, world.asks) = (.strong, false, 0, .max) }
        var options = DownloadOptions()
        options.strictResume = world.chance(20)
        options.onChange =
            world.chance(80) ? .automatic : ChangePolicy.allCases.randomElement(using: &world.random)!
        let connections = isMirrored ? 8 : [1, 3, 8].randomElement(using: &world.random)!
        options.connections = connections
        // So that several connections have something to do.
        if connections > 1 { world.bodyPace = 12 }
        if world.chance(isMirrored ? 100 : 30), hasDigest {
            options.checksum = Checksum(algorithm: .sha256, digest: [UInt8](repeating: 7, count: 32))
        }
        if world.chance(isMirrored ? 100 : 50) {
            try addMirrors(to: &options, of: &world, hasDigest: hasDigest)
        }
        let named = world.chance(60)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: named ? SimulatedEnvironment.place.name : nil),
            options: options
        )
        var progress = DownloadProgress()
        for _ in 0..<8 {
            var machine = DownloadMachine(
                specification,
                from: progress,
                boot: SimulatedEnvironment.boot,
                smallestPiece: 8,
                at: .epoch
            )
            try run(&machine, in: &world, seed: seed)
            guard let next = world.settle() else { break }
            progress = next
            if world.chance(20) {
                // As recovery does under another boot.
                world.losePower()
                progress.part?.boot = BootID(rawValue: "before")
            }
        }
        return world
    }

    private func addMirrors(
        to options: inout DownloadOptions,
        of world: inout SimulatedEnvironment,
        hasDigest: Bool
    ) throws {
        for number in 1...Int.random(in: 1...3, using: &world.random) {
            let host = "m\(number).example"
            world.mirrors[host] = SimulatedEnvironment.MirrorKind.allCases.randomElement(
                using: &world.random
            )!
            options.mirrors.append(try HTTPURL(parsing: "http://\(host)/f"))
        }
        if world.chance(40), hasDigest {
            let digest = Checksum(algorithm: .sha1, digest: [UInt8](repeating: 7, count: 20))
            options.pieces = PieceDigests(length: 50, checksums: [Checksum](repeating: digest, count: 6))
        }
        // One that the walk is about.
        if !world.changes { world.mirrors["m1.example"] = .wrong }
        world.isKnown = options.checksum != nil || options.pieces != nil
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
            for fault in faults(of: machine, in: world) { world.complain(fault) }
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

    /// What contradicts itself in a machine between two events, a sentence each.
    private func faults(of machine: DownloadMachine, in world: SimulatedEnvironment) -> [String] {
        let (connections, segments) = (machine.board.connections, machine.progress.segments)
        let isSynchronizing = machine.part.isSynchronizing
        var rules = [
            "a sync is under way of which the machine knows nothing": machine.stage == .ended
                || isSynchronizing == world.isSynchronizing
        ]
        let filled = connections.receiving.compactMap(\.connection.segment)
        rules["two connections write one segment"] = Set(filled).count == filled.count
        switch machine.stage {
        case .transferring:
            rules["bytes are awaited of no connection"] = !connections.isEmpty
        case .busy(.preparing(.quieting), _):
            rules["it waits for quiet although no connection writes"] = connections.isWriting
        case .busy(.digesting(.doubting), _):
            rules["a doubt waits for no sync"] = isSynchronizing
        case .busy(.synchronizing, _):
            rules["the last sync is not under way"] = isSynchronizing && segments.isComplete
        case .publishing:
            rules["what is published is not durable (I1)"] = segments.isDurable
        case .stopping:
            rules["an end waits for nothing"] =
                !connections.isEmpty || isSynchronizing || machine.part.file == .naming
                || !world.pending.isEmpty
        default: break
        }
        return rules.filter { !$0.value }.map(\.key)
    }
}
