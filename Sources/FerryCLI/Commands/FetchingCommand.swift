import ArgumentParser
import FerryFrontend

/// A command that downloads in the foreground: how it does so, and what it does at the end.
protocol FetchingCommand: RequestingCommand {
    var jobs: JobsArgument { get }
    var rate: RateArgument { get }
    var saving: SaveCookiesArgument { get }
    var refresh: RefreshArgument { get }
    var ends: EndArguments { get }
    var global: GlobalOptions { get }
}

extension FetchingCommand {
    /// What was typed, without the parser.
    func getInput(_ download: DownloadInput, _ aim: GetInput.Aim) -> GetInput {
        var input = GetInput()
        input.download = download
        input.aim = aim
        input.jobs = jobs.input
        input.limitRate = rate.text
        input.savedCookies = saving.path
        input.refreshCommand = refresh.command
        input.ends = ends.input
        input.global = global.input
        return input
    }
}

extension GetCommand: FetchingCommand {}
extension AdoptCommand: FetchingCommand {}
