import Ferry
import Testing

@Suite("An identity is made and read by the library")
struct SealingIdentityTests {
    /// The pair of keys in the specification of age.
    private static let secret = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    private let folder = SealedFolder()

    @Test("a text is read, and written again as it was")
    func readsText() throws {
        let identity = try SealingIdentity(parsing: Self.secret)
        #expect(identity.recipient == Self.recipient)
        #expect(identity.secretText == Self.secret)
    }

    @Test("each new identity is another one, and can be read again")
    func makesIdentities() throws {
        let identities = (0..<20).map { _ in SealingIdentity() }
        #expect(Set(identities.map(\.recipient)).count == 20)
        for identity in identities {
            #expect(try SealingIdentity(parsing: identity.secretText).recipient == identity.recipient)
        }
    }

    @Test("the secret is in no description, no dump and no error")
    func hidesSecrets() throws {
        let identity = try SealingIdentity(parsing: Self.secret)
        var dumped = ""
        dump([identity], to: &dumped)
        for text in ["\(identity)", String(reflecting: identity), dumped] {
            #expect(!text.contains("SECRET"))
            #expect(text.contains(Self.recipient))
        }
        #expect(Mirror(reflecting: identity).children.isEmpty)
        let failure = #expect(throws: SealedFileError.self) {
            _ = try SealingIdentity(parsing: Self.secret.lowercased())
        }
        #expect(failure?.code == .invalidKey)
        #expect(failure?.message.lowercased().contains(Self.secret.lowercased()) == false)
    }

    @Test("a recipient is not taken for an identity, and the message says what is needed")
    func refusesRecipients() {
        let failure = #expect(throws: SealedFileError.self) {
            _ = try SealingIdentity(parsing: Self.recipient)
        }
        #expect(failure?.message.contains("AGE-SECRET-KEY-1") == true)
    }

    @Test("the identities of a file of age-keygen are read")
    func readsFiles() async throws {
        let other = SealingIdentity()
        let text =
            "# created: today\n# public key: \(Self.recipient)\n\(Self.secret)\n\n\(other.secretText)\r\n"
        let path = try folder.write(Array(text.utf8), as: "key.txt")
        let identities = try await SealingIdentity.read(path)
        #expect(identities.map(\.recipient) == [Self.recipient, other.recipient])
    }

    @Test("a file with something else is refused by its line, without the text")
    func refusesOtherFiles() async throws {
        let path = try folder.write(Array("# key\n\(Self.secret.dropLast())\n".utf8), as: "key.txt")
        let failure = await #expect(throws: SealedFileError.self) { _ = try await SealingIdentity.read(path) }
        #expect(failure?.message.contains("line 2") == true)
        #expect(failure?.message.contains("GFPYY") == false)
        try folder.write(Array("# key\n".utf8), as: "key.txt")
        await #expect(throws: SealedFileError.self) { _ = try await SealingIdentity.read(path) }
        try folder.write([UInt8](repeating: 0x0A, count: (1 << 20) + 1), as: "key.txt")
        await #expect(throws: SealedFileError.self) { _ = try await SealingIdentity.read(path) }
        await #expect(throws: StorageProblem.self) { _ = try await SealingIdentity.read(path + ".absent") }
    }
}
