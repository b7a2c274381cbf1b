import ArgumentParser
import Ferry

/// The tool: its name, its help and its commands.
struct FerryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ferry",
        abstract: "Transfers that survive lost networks, closed laptops and killed processes.",
        usage: "ferry <command> [<options>]",
        discussion: """
            EXAMPLES
              ferry get https://example.org/image.iso
              ferry get -d ~/Downloads -i list.txt
              ferry get -o - https://example.org/data.tar | tar x
              ferry send POST https://example.org/orders -F id=1
              ferry put report.pdf https://example.org/files/
              ferry mirror https://example.org/pub/ ./pub
              ferry list
              ferry resume

            Repeat a `ferry get` to resume where it stopped. `man ferry` shows the manual. \
            /usr/share/doc/ferry/JSON.md documents the output of --json.
            """,
        version: "ferry \(FerryVersion.current)",
        subcommands: commands
    )

    /// The commands, in the order of the help text.
    static let commands: [any ParsableCommand.Type] = [
        GetCommand.self, AddCommand.self, AdoptCommand.self, MirrorCommand.self, SendCommand.self,
        PutCommand.self,
        RunCommand.self,
        ListCommand.self, ShowCommand.self, WatchCommand.self,
        PauseCommand.self, ResumeCommand.self, RetryCommand.self, ResolveCommand.self, CancelCommand.self,
        RemoveCommand.self,
        PruneCommand.self, EditCommand.self, QueueCommand.self, CacheCommand.self, VerifyCommand.self,
        PresignCommand.self,
        SealCommand.self, OpenCommand.self, CatCommand.self,
        UploadsCommand.self, ConfigCommand.self,
        DoctorCommand.self, CompleteCommand.self,
    ]

    /// The text that `ferry` without a command prints.
    static let greeting = """
        ferry \(FerryVersion.current): downloads that survive.

          ferry get https://example.org/image.iso     download a file; repeat the line to resume
          ferry get -d ~/Downloads -i list.txt        download a list of URLs, five at once
          ferry list                                  list unfinished transfers
          ferry resume                                list them and ask which to resume
          ferry add URL… && ferry run                 queue now, download later
          ferry send POST URL --data-json JSON        send a request that must arrive
          ferry put FILE URL                          upload a file
          ferry watch                                 show progress, from any process

        `ferry help` lists every command, `ferry help get` explains one.
        """

    func run() async throws {
        _ = Terminal.output.write(Self.greeting + "\n")
    }
}
