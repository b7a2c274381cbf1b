import ArgumentParser
import Ferry
import FerryFrontend

/// The options that say what to send and how.
struct SendArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("Use this method, such as POST; sent as typed.", valueName: "method"))
    var method: String?

    @Argument(help: ArgumentHelp("Send to this http:// or https:// URL.", valueName: "url"))
    var url: String?

    @Option(
        name: [.customShort("i"), .customLong("input")],
        help: ArgumentHelp(
            "Send each request of this list, or of '-' for standard input: a JSON object on each line.",
            valueName: "list"
        ),
        completion: .file()
    )
    var list: String?

    @Option(
        name: [.customShort("d"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this text as the body. Name its type with -H 'Content-Type: ...'.",
            valueName: "text"
        )
    )
    var data: [String] = []

    @Option(
        help: ArgumentHelp(
            "Send this file as the body, or '-' for standard input.",
            discussion:
                "A file of more than 1 MiB is read when it is sent, and must stay as it is until then. What a pipe gives is copied into the data directory.",
            valueName: "file"
        ),
        completion: .file()
    )
    var dataFile: [String] = []

    // Not `--json`, as in curl: that is a global option, and scripts give it to every command.
    @Option(
        name: .customLong("data-json"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this JSON as the body, with the fields Content-Type and Accept.",
            valueName: "json"
        )
    )
    var dataJSON: [String] = []

    @Option(
        name: [.customShort("F"), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this field of a form; may be repeated. A value of @FILE sends a file.",
            discussion:
                "With a file the form is sent as multipart/form-data; @FILE;type=TYPE names its media type.",
            valueName: "name=value"
        )
    )
    var form: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Set the field Idempotency-Key (default: the UUID, for a method that is not idempotent).",
            discussion:
                "It is sent in double quotes, as a string of structured fields (RFC 8941). -H 'Idempotency-Key: KEY' with --no-key sends it as typed.",
            valueName: "key"
        )
    )
    var key: String?

    @Flag(
        name: .customLong("no-key"),
        help: ArgumentHelp(
            "Send no Idempotency-Key.",
            discussion:
                "A request that may have arrived is then never sent again, unless its method is idempotent."
        )
    )
    var sendsNoKey = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Count this status as success too, such as 404 for a DELETE; may be repeated.",
            valueName: "status"
        )
    )
    var success: [Int] = []

    @Option(
        name: .customLong("value"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Replace {NAME} with a value of the response to an earlier request; may be repeated.",
            discussion:
                "ID:/POINTER is a JSON Pointer into its body, ID:FIELD one of its header fields. {NAME} may be in the URL's path and query, in header fields, and in a JSON body. The request starts after the earlier one.",
            valueName: "name=id:place"
        )
    )
    var values: [String] = []

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Save the body of a successful response in this file, however long it is.",
            discussion:
                "The file must not exist when the request is sent, and appears when the response is whole. With --wait, - is standard output, and /dev/null no output.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Replace the file of -o if it exists.")
    var overwrite = false

    @Option(
        help: ArgumentHelp(
            "Keep up to N bytes of the response's body, such as 4M (default 1M, at most 16M).",
            valueName: "size"
        )
    )
    var responseLimit: String?

    @OptionGroup var digests: DigestArguments

    /// The arguments as the plan takes them.
    ///
    /// - Parameter delivery: the input of ``DeliveryArguments``.
    /// - Throws: ``CommandFailure`` with status 64 for a body that is given twice.
    func input(_ delivery: SendInput) throws(CommandFailure) -> SendInput {
        var input = delivery
        input.method = method ?? ""
        input.url = url ?? ""
        input.data = try Self.only(data, "--data", hint: "`--form a=1 --form b=2` sends several fields.")
        input.dataFile = try Self.only(
            dataFile,
            "--data-file",
            hint: "`--form a=@FILE --form b=@FILE` sends several files."
        )
        input.dataJSON = try Self.only(dataJSON, "--data-json", hint: "Give one JSON text with all of it.")
        input.form = form
        input.key = key
        input.sendsNoKey = sendsNoKey
        input.success = success
        input.values = values
        input.output = output
        input.overwrites = overwrite
        input.responseLimit = responseLimit
        digests.apply(to: &input)
        return input
    }

    /// The value of an option that gives the whole body. Curl joins several; the last one alone would be a wrong request.
    private static func only(
        _ values: [String],
        _ option: String,
        hint: String
    ) throws(CommandFailure) -> String? {
        guard values.count <= 1 else { throw .usage("\(option) is given twice.", hint: hint) }
        return values.first
    }
}
