package import Ferry

/// Which unfinished uploads of a bucket are meant, as texts that are not checked yet. ``UploadsPlan`` reads and checks them.
package struct UploadsInput: Sendable {
    /// The bucket, perhaps with the beginning of a key.
    package var place = ""
    /// The age from which they are meant.
    package var olderThan: String?
    /// How the store is reached.
    package var store = ObjectStoreInput()
    /// How servers are reached.
    package var connection = ConnectionInput()

    package init() {}
}

/// Which unfinished uploads of a bucket are meant, and how its store is reached.
package struct UploadsPlan: Sendable {
    /// The bucket, and what keys begin with.
    package let prefix: ObjectPrefix
    /// How requests are sent.
    package let terms: ExchangeTerms
    /// The age from which they are meant; `nil` if none was given.
    package let age: Duration?
    /// Maximum number of retries of a request.
    package let retries: Int

    /// Without an age, an upload must be this old to be ended: another machine may be sending it.
    package static let safeAge = Duration.seconds(3600)

    /// Reads and checks what was typed.
    package init(_ input: UploadsInput, _ environment: ProcessEnvironment) throws(CommandFailure) {
        do {
            prefix = try ObjectPrefix(parsing: input.place)
        } catch {
            throw .usage(error.description, hint: "Name a bucket, such as s3://bucket or s3://bucket/prefix.")
        }
        guard prefix.store.multipartProtocol != nil else {
            throw .usage(
                "\(prefix.store) does not list unfinished uploads; it removes each after a week.",
                hint: "`ferry cancel ID` removes the upload of a transfer."
            )
        }
        age = try input.olderThan.map { text throws(CommandFailure) in
            try Seconds.parse(text, withUnit: "--older-than", example: "7d")
        }
        try input.connection.checkConflicts()
        var terms = ExchangeTerms()
        try terms.connection.apply(input.connection, environment: environment)
        terms.proxies = try Routes(input.connection, environment: environment).proxies
        terms.store = try input.store.reference
        self.terms = terms
        retries =
            try input.connection.retries.map { count throws(CommandFailure) in
                try WorkTerms.count(count, "--retries")
            } ?? WorkTerms.retriesOfListing
        // What is missing is said before anything is sent.
        _ = try ObjectStoreSettings(to: prefix.store, input.store, environment)
    }
}
