import FerryCore

/// The scenario of a simulation, drawn from its seed: what is downloaded and sent, what is in the way, and
/// how often faults occur.
struct SimulationScenario: Sendable {
    /// What a user wants.
    enum Aim: Sendable {
        /// The content of a site.
        case download(DownloadSpecification, site: Int)
        /// The arrival of a call.
        case call(CallPlan)
        /// The arrival of a file that is uploaded in parts.
        case upload(UploadPlan)
    }

    /// One command line of a user.
    struct Errand: Sendable {
        var aim: Aim
        var queue = NewTransfer.defaultQueue
        var priority = 0
        /// What it is about, if the application has handlers for that.
        var type: TransferType?
        /// The time until its deadline, if it has one.
        var patience: Duration?
        /// The errands that must complete before it starts, by their places; all are earlier.
        var after: [Int] = []

        /// The site of a download; `nil` for any other.
        var site: Int? {
            switch aim {
            case .download(_, let site): site
            case .call, .upload: nil
            }
        }

        /// The specification of a download; `nil` for any other.
        var download: DownloadSpecification? {
            switch aim {
            case .download(let specification, _): specification
            case .call, .upload: nil
            }
        }

        /// The identity of a download; `nil` for any other. A call is never the same as another.
        var identity: String? { download?.identity }
    }

    /// An existing file that does not belong to Ferry.
    struct Bystander: Sendable {
        var kind: FileSurvey.Kind
        var name: FileName
        var bytes: [UInt8]
    }

    /// The rates of faults, per thousand.
    struct Rates: Sendable {
        var network = 0
        /// The rate for the exchanges of requests and uploads, of which there are few.
        var calls = 0
        var disk = 0
        var store = 0
        var slowCalls = 0
        /// The rate of events for the whole machine, per step.
        var events = 0
        /// The rate of acts of applications on a tree and a pool, per step.
        var keeping = 0

        static let calm = Rates()
    }

    static let directory = "/d"
    /// The types of transfers for which applications have handlers.
    static let types: [TransferType] = ["order", "photo"]
    static let names = ["a.bin", "b.tar.gz", "c"]

    /// Whether there are more errands than their queues have room for.
    var isCrowded: Bool
    var errands: [Errand] = []
    /// The number of errands from the start; the others come later.
    var beginning = 0
    /// The queues with non-default settings.
    var queues: [TransferQueue] = []
    var bystanders: [Bystander] = []
    /// The nodes with content of a tree; empty for no tree.
    var leaves: [Leaf] = []
    var pool: Pool?
    var rates = Rates()
    var pieceLength: Int
    /// The time for each piece of a body. If it is zero, a body arrives before another connection could help.
    var pieceTime: Duration
    /// How many in a thousand of the short bodies arrive with their heads.
    var wholeBodies: Int
    /// The number of steps with faults.
    var chaos: Int
    var runners: Int
    /// Whether the first sync of a new part file makes its name durable, whatever its length.
    var syncsDirectoryAlways: Bool
    /// Whether new part files get a name only when they take longer.
    var sparesNames: Bool

    init(dice: SimulationDice, origin: SimulatedOrigin) throws {
        pieceLength = dice.pick([100, 700, 4_000, 20_000])
        pieceTime = .milliseconds(dice.pick([0, 0, 20, 100]))
        wholeBodies = dice.pick([0, 500, 1_000])
        chaos = dice.pick([50, 300, 1_000, 3_000])
        runners = dice.pick([1, 1, 2])
        syncsDirectoryAlways = dice.happens(500)
        sparesNames = dice.happens(500)
        rates.network = dice.pick([0, 50, 300])
        rates.calls = dice.pick([0, 200, 400, 600])
        rates.disk = dice.pick([0, 0, 5, 30])
        rates.store = dice.pick([0, 0, 10])
        rates.slowCalls = dice.pick([0, 20, 200])
        rates.events = dice.pick([0, 4, 15, 40])
        rates.keeping = dice.pick([5, 20, 60])
        isCrowded = dice.happens(400)
        let calls = dice.pick([0, 300, 600, 1_000])
        for number in 0..<(isCrowded ? dice.pick([4, 8, 12]) : dice.pick([1, 1, 2, 2, 3, 6])) {
            if dice.happens(100) {
                errands.append(Errand(aim: .upload(UploadPlan(place: number, dice))))
                continue
            }
            errands.append(
                dice.happens(calls)
                    ? Errand(aim: .call(CallPlan(place: number, dice)))
                    : try Self.errand(dice, origin, number, isCrowded)
            )
        }
        for place in errands.indices where dice.happens(400) { errands[place].type = dice.pick(Self.types) }
        for place in errands.indices where dice.happens(150) {
            errands[place].patience = .seconds(dice.pick([1, 30, 600, 4_000]))
        }
        if isCrowded { formLines(dice) }
        beginning = isCrowded ? dice.number(in: 1..<errands.count) : errands.count
        if dice.happens(400) { formOrder(dice) }
        try drawKept(dice, origin)
        for (name, isPart) in [("a.bin", false), ("b.tar.gz", false), ("a.bin", true)] where dice.happens(60)
        {
            let kinds: [FileSurvey.Kind] = [.file, .file, .directory, .symbolicLink, .other]
            let final = try FileName(userGiven: name)
            let kind = dice.pick(kinds)
            bystanders.append(
                Bystander(
                    kind: kind,
                    name: isPart ? final.partName : final,
                    bytes: kind == .file ? [UInt8](repeating: 0xEE, count: dice.pick([0, 10, 5_000])) : []
                )
            )
        }
    }

    private static func errand(
        _ dice: SimulationDice,
        _ origin: SimulatedOrigin,
        _ number: Int,
        _ isCrowded: Bool
    ) throws -> Errand {
        let site = try origin.addSite(dice)
        var options = DownloadOptions()
        options.existingFile = dice.pick([.fail, .fail, .overwrite, .autoRename, .noClobber])
        options.onChange = dice.pick([.automatic, .automatic, .restart, .fail, .keep])
        options.strictResume = dice.happens(200)
        options.retries = dice.pick([1_000_000, 1_000_000, 1_000_000, 3])
        options.checksum = origin.checksum(of: site)
        options.connections = dice.pick([1, 2, 4, 8])
        options.runsInBackground = number % 3 != 0
        if dice.happens(300) { options.mirrors = try origin.addMirrors(of: site, dice) }
        if options.checksum != nil, dice.happens(500) { options.pieces = origin.pieces(of: site, of: 500) }
        // If many wanted the same name, most would fail.
        let named = isCrowded && dice.happens(900) ? "file\(number)" : dice.pick(names)
        let name = dice.happens(850) || named.hasPrefix("file") ? try FileName(userGiven: named) : nil
        let specification = DownloadSpecification(
            url: origin.entrance(of: site),
            destination: .file(directory: directory, name: name),
            options: options
        )
        return Errand(aim: .download(specification, site: site))
    }

    /// Whether several errands may want one name, or another file has it.
    var namesMayClash: Bool {
        !bystanders.isEmpty || errands.count > 1 || keeps
    }
}
