/// The replacements that differ between commands, also of options that other commands of Ferry have.
extension ForeignOption {
    /// Those of each command; they take precedence over those of all.
    static let tables = [
        "mirror": mirroring, "put": putting, "send": sending, "verify": verifying,
        "resume": resuming, "adopt": ["-I": looks, "--head": looks], "run": running, "queue": queueing,
    ]

    private static let lastDirectory = "the directory comes last: `ferry mirror URL DIRECTORY`"
    private static let onlyNew = "leave it out, `ferry mirror` downloads only what is new or has changed"
    private static let whole = "leave it out, `ferry mirror` copies all below the URL"
    private static let onlyPlaced = "leave it out, `ferry mirror` replaces only files that it placed"
    private static let patterns = "--include PATTERN and --exclude PATTERN choose the files"
    private static let depth =
        "leave it out, all below the URL is copied; --exclude '*/*' leaves out what is in subdirectories"

    private static let mirroring: [String: String] = [
        "-P": lastDirectory, "--directory-prefix": lastDirectory, "--output-dir": lastDirectory,
        "-d": lastDirectory, "--dir": lastDirectory, "-o": lastDirectory, "--output": lastDirectory,
        "-m": leftOut, "--mirror": leftOut, "-r": leftOut, "--recursive": leftOut,
        "-np": whole, "--no-parent": whole, "-nH": whole, "--no-host-directories": whole,
        "-N": onlyNew, "--timestamping": onlyNew,
        "-nc": onlyPlaced, "--no-clobber": onlyPlaced,
        "-nd": "leave it out, `ferry mirror` keeps the directories",
        "-l": depth, "--level": depth,
        "--accept": patterns, "--reject": patterns, "-R": patterns,
        "--use-server-timestamps": "--remote-time gives each file the server's time",
    ]

    private static let fileFirst = "leave it out, as in `ferry put FILE URL`"
    private static let otherMethod = "`ferry send POST URL --data-file FILE` sends a file with another method"

    private static let putting: [String: String] = [
        "-T": fileFirst, "--upload-file": fileFirst,
        "-nc": "--no-clobber replaces nothing",
        "-X": otherMethod, "--request": otherMethod, "--method": otherMethod,
        "--retry-all-errors": retriesAnyway, "-x": proxy,
    ]

    private static let digestList =
        "--checksum-file FILE checks the files that FILE lists, as `sha256sum -c` does"

    private static let verifying: [String: String] = ["-c": digestList, "--check": digestList]

    private static let unasked = "--all resumes all unfinished transfers without asking"

    private static let resuming: [String: String] = ["-y": unasked, "--yes": unasked]

    private static let running: [String: String] = [
        "--queue": "leave it out, `ferry run` runs all queues; `ferry resume ID` runs one transfer, "
            + "and `ferry queue pause NAME` stops a queue"
    ]

    private static let queueing: [String: String] = [
        "--limit": "`ferry queue set NAME --slots COUNT` runs up to COUNT of its transfers at once, "
            + "--limit-rate RATE limits the speed"
    ]

    private static let cookieJar = "`--cookie-jar FILE` saves cookies"
    private static let saved = "-o FILE saves the response"
    private static let keepsFile = "leave it out, -o replaces no file"
    private static let cookies = "-H 'Cookie: …' sends cookies"

    private static let sending: [String: String] = [
        "-c": cookieJar, "-b": cookies, "--cookie": cookies,
        "-nc": keepsFile, "--no-clobber": keepsFile,
        "-O": saved, "--remote-name": saved, "-P": saved, "--directory-prefix": saved,
        "-T": upload, "--retry-all-errors": retriesAnyway, "-x": proxy,
    ]

    private static let recipient = "--to RECIPIENT names a recipient"
    private static let recipientFile = "--to-file FILE names a file of recipients"
    private static let decrypts = "leave it out, `ferry open` decrypts"
    private static let encrypts = "leave it out, `ferry seal` encrypts"
    private static let armor = "leave it out, ferry opens files in ASCII armor and writes none"

    /// The options of age.
    static let sealing: [String: String] = [
        "-r": recipient, "--recipient": recipient, "-R": recipientFile, "--recipients-file": recipientFile,
        "-p": "--passphrase asks for a passphrase", "-a": armor, "--armor": armor,
        "-d": decrypts, "--decrypt": decrypts, "-e": encrypts, "--encrypt": encrypts,
    ]

    private static let ownKey = "leave it out, -i FILE names the key that opens the file"

    /// Those that differ where a file is decrypted.
    static let opening: [String: String] = [
        "-r": ownKey, "--recipient": ownKey, "-R": ownKey, "--recipients-file": ownKey,
    ]
}
