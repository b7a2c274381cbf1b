package import FerrySealed

/// The keys that a command line names.
package enum KeyInput {
    /// The recipients that two options name, themselves and in files.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a text that is no recipient, and with 15 for a file that cannot be
    ///   read. No key is in it: a secret one may have been given by mistake (I7).
    package static func recipients(
        _ texts: [String],
        files: [String],
        option: String = "--to",
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> [X25519Recipient] {
        var recipients: [X25519Recipient] = []
        for text in texts {
            do throws(KeyProblem) {
                recipients.append(try X25519Recipient(parsing: text))
            } catch {
                throw .usage(
                    "\(option): \(error)",
                    hint: "`age-keygen -y FILE` prints the recipient of an identity file."
                )
            }
        }
        for file in files {
            recipients += try keys(in: file, environment) { bytes throws(KeyFile.Fault) in
                try KeyFile.recipients(bytes)
            }
        }
        return recipients
    }

    /// The identities in the files of `-i`.
    ///
    /// - Throws: ``CommandFailure`` with status 15 for a file that cannot be read, or has something else in it.
    package static func identities(
        files: [String],
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> [X25519Identity] {
        var identities: [X25519Identity] = []
        for file in files {
            identities += try keys(in: file, environment) { bytes throws(KeyFile.Fault) in
                try KeyFile.identities(bytes)
            }
        }
        return identities
    }

    private static func keys<Key>(
        in file: String,
        _ environment: ProcessEnvironment,
        _ parse: ([UInt8]) throws(KeyFile.Fault) -> [Key]
    ) throws(CommandFailure) -> [Key] {
        let name = file == "-" ? "standard input" : QuotedWord(file).description
        let contents: FileReader.Contents
        do throws(FileReader.Problem) {
            contents = try FileReader.read(
                FilePath.expandingTilde(file, home: environment.home),
                atMost: KeyFile.longest + 1
            )
        } catch {
            throw CommandFailure(unreadable: name, error)
        }
        guard contents.bytes.count <= KeyFile.longest else {
            throw CommandFailure(
                .cannotOpen,
                code: "invalidKeyFile",
                "\(name) is too long for a file of keys."
            )
        }
        do throws(KeyFile.Fault) {
            return try parse(contents.bytes)
        } catch {
            throw CommandFailure(
                .cannotOpen,
                code: "invalidKeyFile",
                "Cannot use the keys in \(name): \(error)"
            )
        }
    }
}
