import Ferry
import FerryFrontend

extension ObjectStoreAccess {
    /// Finds the access to a bucket as the store's own tools do: in the environment and in the files of profiles.
    ///
    /// - Throws: ``Failure``, with a sentence for a person.
    static func find(
        for question: Question,
        _ environment: ProcessEnvironment
    ) async throws -> ObjectStoreAccess {
        do {
            let settings = try ObjectStoreSettings(
                to: question.store,
                ObjectStoreInput(question.reference),
                environment
            )
            return try await settings.access(outputOf: output, answerTo: answer)
        } catch let failure as CommandFailure {
            let hint = failure.hint.map { " \($0)" } ?? ""
            throw Failure(failure.message + hint)
        }
    }

    /// What the endpoint of an instance or of a container answers.
    static func answer(to request: CredentialEndpoint.Request) async throws -> CredentialEndpoint.Answer {
        let (status, body) = try await TransferEngine.answer(
            to: request.method,
            request.url,
            request.fields,
            atMost: CredentialEndpoint.longestAnswer,
            within: CredentialEndpoint.patience
        )
        return CredentialEndpoint.Answer(status: status, body: body)
    }

    /// What the command of a profile prints.
    static func output(of line: String) async throws -> [UInt8] {
        do {
            return try await ShellCommand(line: line).output()
        } catch let failure as ShellCommand.Failure {
            throw CommandFailure.noCredentials(
                "The credential_process of the profile gave no credentials: \(failure.description)."
            )
        }
    }
}
