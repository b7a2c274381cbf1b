import ArgumentParser

/// `ferry uploads`: what stores hold of uploads that have not ended.
struct UploadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uploads",
        abstract: "List and end unfinished uploads at an object store.",
        discussion: """
            A store keeps the parts of an upload that was never completed, and they cost money. ferry removes those of a \
            transfer that is cancelled. This command is for the rest: uploads of other programs, of other machines, and of \
            transfers that are no longer in the list.

            EXAMPLES
              ferry uploads list s3://bucket
              ferry uploads abort s3://bucket/logs/ --all --older-than 7d
            """,
        subcommands: [UploadsListCommand.self, UploadsAbortCommand.self]
    )
}
