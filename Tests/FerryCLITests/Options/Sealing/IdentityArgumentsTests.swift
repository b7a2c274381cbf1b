import ArgumentParser
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("The keys of a sealed file")
struct IdentityArgumentsTests {
    @Test(
        "a file of identities that is missing is named before a passphrase is asked for",
        arguments: [true, false]
    )
    func missing(needsPassphrase: Bool) throws {
        let arguments = try IdentityArguments.parse(["-i", "/nonexistent/key"])
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: nil)
        let failure = #expect(throws: CommandFailure.self) {
            try arguments.identities(for: "a.age", needsPassphrase: needsPassphrase, environment)
        }
        #expect(failure?.message.contains("/nonexistent/key") == true, "\(String(describing: failure))")
    }
}
