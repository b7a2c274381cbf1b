import Foundation
import Testing

/// Ferry signs as the libraries of others do, byte for byte. Nothing is sent.
@Suite(
    "Signatures of other libraries",
    .limitedParallelism,
    .enabled(
        if: OtherSigners.areInstalled,
        "the libraries of others are not installed; scripts/test installs them"
    )
)
struct OtherSignersTests {
    @Test("random requests get the same signatures")
    func signaturesAgree() async throws {
        try await Sandbox.open { sandbox in
            let count = SampleSize(variable: "FERRY_SIGNATURES", otherwise: 500).limit ?? 10_000
            let seed = SeededRandom.seed
            let outcome = try await sandbox.launch(
                executable: OtherSigners.python,
                ["-B", OtherSigners.script, "\(seed)", "\(count)"]
            ).outcome()
            outcome.expect(0)
            var compared: [String: Int] = [:]
            var differing: [String: String] = [:]
            for line in outcome.output.split(separator: "\n") {
                let signed = try JSONDecoder().decode(SignedCase.self, from: Data(line.utf8))
                let (ours, theirs) = try signed.results()
                compared[signed.signer, default: 0] += 1
                if !ours.utf8.elementsEqual(theirs.utf8), differing[signed.signer] == nil {
                    differing[signed.signer] = "\(line)\n\(ours)\n\(theirs)"
                }
            }
            let counts = compared.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            print(
                "signatures: \(counts.joined(separator: ", ")), \(differing.count) differing (seed \(seed))"
            )
            // RSA is slow in a build without optimization.
            let isComplete = compared.allSatisfy { name, number in
                number == (name.hasPrefix("google") ? count / 20 + 1 : count)
            }
            #expect(compared.count == 12 && isComplete, "\(compared)")
            #expect(differing.isEmpty, "seed \(seed): \(differing.values.joined(separator: "\n"))")
        }
    }
}

/// The libraries of others, in an environment of the suite's own.
enum OtherSigners {
    static let python = "\(Repository.root)/.build-tools/signers/bin/python"
    static let script = "\(Repository.root)/Tests/FerrySystemTests/Stores/other-signers.py"
    static let areInstalled = FileManager.default.isExecutableFile(atPath: python)
}
