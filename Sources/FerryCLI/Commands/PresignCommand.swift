import ArgumentParser
import Ferry
import FerryFrontend
import Glibc

/// `ferry presign`: prints a URL that works without credentials for a while.
struct PresignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presign",
        abstract:
            "Print a URL that gives access to one object in S3, OSS or Google Cloud Storage without credentials.",
        discussion: """
            Until it expires, anyone who has the URL can use it, with this method only. Nothing is sent to the store, so \
            neither the object nor the rights of the access key are checked.

            EXAMPLES
              ferry presign GET s3://bucket/big.iso --expires 30m
              ferry presign PUT oss://bucket/report.pdf -H 'Content-Type: application/pdf'
              ferry presign GET s3://bucket/key --endpoint http://localhost:9000

            Credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, OSS_ACCESS_KEY_ID and \
            OSS_ACCESS_KEY_SECRET, or GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY (an HMAC key), otherwise from profiles, or for gs:// from \
            the file that GOOGLE_APPLICATION_CREDENTIALS names.
            """
    )

    @Argument(help: ArgumentHelp("The method that the URL is valid for, such as GET or PUT."))
    var method: String

    @Argument(
        help: ArgumentHelp(
            "The object: s3://bucket/key, oss://bucket/key or gs://bucket/key. The key is taken as it is.",
            valueName: "name"
        )
    )
    var name: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Let the URL be valid for this time: 45s, 30m, 12h or 7d (default 1h).",
            valueName: "time"
        )
    )
    var expires: String?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "Sign this header field, which the request must then carry; may be repeated.",
            valueName: "name: value"
        )
    )
    var header: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Add this parameter to the URL, not encoded, such as versionId=...; may be repeated.",
            valueName: "name=value"
        )
    )
    var query: [String] = []

    @OptionGroup(title: "Store options") var store: ObjectStoreArguments

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// What was typed, as the plan takes it.
    var input: PresignInput {
        var input = PresignInput()
        input.method = method
        input.name = name
        input.expires = expires
        input.header = header
        input.query = query
        input.store = store.input
        return input
    }

    /// The credentials that the settings lead to.
    ///
    /// A command that prints credentials leads its own process group, so a terminal sends its signals to ferry only.
    /// A signal that ends ferry ends the command first.
    private func credentials(of settings: ObjectStoreSettings) async throws -> PassingCredentials {
        enum End: Sendable {
            case found(PassingCredentials)
            case signal(Int32)
        }
        let signals = await SignalWatch {}
        defer { signals.stop() }
        do {
            let end = try await withThrowingTaskGroup(of: End.self) { group in
                group.addTask {
                    .found(
                        try await settings.credentials(
                            outputOf: ObjectStoreAccess.output,
                            answerTo: ObjectStoreAccess.answer
                        )
                    )
                }
                group.addTask {
                    for await number in signals.firstSignal() { return .signal(number) }
                    throw CancellationError()
                }
                defer { group.cancelAll() }
                guard let first = try await group.next() else { throw CancellationError() }
                return first
            }
            switch end {
            case .found(let credentials): return credentials
            case .signal(let number): _exit(128 + number)
            }
        } catch let failure as ObjectStoreAccess.Failure {
            throw CommandFailure.noCredentials(failure.message)
        }
    }

    func run() async throws {
        try await Session.run(global.input, needsSettings: false) { session in
            let plan = try PresignPlan(input, session.environment)
            let credentials = try await credentials(of: plan.access)
            let signed = try plan.url(credentials, at: SystemTime.now)
            if signed.isShortened {
                session.console.warning(
                    "The credentials expire at \(SystemTime.local(signed.expiration)), and the URL with them."
                )
            }
            if session.console.appearance.json {
                session.console.data(signed.json)
                return .done
            }
            if !signed.headers.isEmpty {
                let names = signed.headers.map(\.name).joined(separator: ", ")
                session.console.notice("The request must carry these header fields as given: \(names).")
            }
            session.console.data(signed.text)
            return .done
        }
    }
}
