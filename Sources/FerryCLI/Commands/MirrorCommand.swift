import ArgumentParser
import FerryFrontend

/// `ferry mirror`: copies a directory of a server, and keeps the copy up to date.
struct MirrorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mirror",
        abstract: "Copy a directory of a web server or an object store, and keep the copy up to date.",
        discussion: """
            Ferry lists the source, and downloads files that are new or have changed. If it was stopped, the same command \
            resumes: it does not repeat the listing, and does not ask for complete files again. After a complete pass, it \
            lists the source again. Your own files are replaced only with --overwrite.
            """
    )

    @OptionGroup var mirror: MirrorArguments
    @OptionGroup(title: "Request options") var request: RequestArguments
    @OptionGroup(title: "Request options") var store: ObjectStoreArguments
    @OptionGroup(title: "Connection options") var connection: ConnectionArguments
    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var saving: SaveCookiesArgument
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            var mirror = mirror
            mirror.cookies.path = try SavedCookies.loaded(
                mirror.cookies.path,
                savingTo: saving.path,
                session.environment
            )
            let plan = try MirrorPlan(
                mirror.input(with: requestInput, connection.input, session.settings),
                session.environment
            )
            let cookies = try SavedCookies(to: saving.path, beginningWith: plan.cookieJar, session)
            let terms = try EngineTerms(jobs.input, limitRate: rate.text, session.settings)
            for warning in plan.warnings { session.console.warning(warning) }
            return try await cookies.saving {
                try await MirrorRun(session, plan, terms, cookies.shared).run()
            }
        }
    }
}
