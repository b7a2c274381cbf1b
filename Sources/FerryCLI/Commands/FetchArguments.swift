import ArgumentParser
import FerryFrontend

/// How a command downloads in the foreground, and what it does at the end: the options that `ferry get` and `ferry adopt` share
/// beside ``DownloadArguments``.
struct FetchArguments: ParsableArguments {
    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var saving: SaveCookiesArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup var ends: EndArguments

    /// What was typed, without the parser.
    func input(_ download: DownloadInput, _ aim: GetInput.Aim, _ global: GlobalInput) -> GetInput {
        var input = GetInput()
        input.download = download
        input.aim = aim
        input.jobs = jobs.input
        input.limitRate = rate.text
        input.savedCookies = saving.path
        input.refreshCommand = refresh.command
        input.ends = ends.input
        input.global = global
        return input
    }
}
