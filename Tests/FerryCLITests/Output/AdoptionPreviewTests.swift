import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What `ferry adopt --dry-run` prints.
@Suite struct AdoptionPreviewTests {
    private func preview(_ action: AdoptionPreview.Action) throws -> AdoptionPreview {
        let url = try HTTPURL(parsing: "https://user:s3cret@example.org/f.bin")
        return AdoptionPreview(url: url, path: "/d/f.bin", action: action)
    }

    private func find(
        _ tool: AdoptionPreview.Tool,
        kept: Int64 = 100,
        isVerified: Bool = false
    ) -> AdoptionPreview.Action {
        .adopt(AdoptionPreview.Find(tool: tool, kept: kept, isVerified: isVerified))
    }

    @Test("a file that is taken over tells its tool, and how many bytes are kept on which condition")
    func adopted() throws {
        let aria2 = try preview(find(.aria2(controlFile: "/d/f.bin.aria2"))).lines()
        #expect(aria2.first == "/d/f.bin")
        #expect(aria2.contains { $0.contains("Adopt") && $0.hasSuffix("takes over the file") })
        #expect(aria2.contains { $0.hasSuffix("aria2, whose control file is /d/f.bin.aria2") })
        #expect(aria2.contains { $0.hasSuffix("100 B, if they are equal to the server's where compared") })
        let verified = try preview(find(.ferry, isVerified: true)).lines()
        #expect(verified.contains { $0.hasSuffix("100 B, if the digest is right") })
        let empty = try preview(find(.inOrder, kept: 0)).lines()
        #expect(empty.contains { $0.hasSuffix("nothing: none of its bytes can be used") })
        #expect((aria2 + verified + empty).allSatisfy { !$0.contains("s3cret") })
    }

    @Test("a file that is refused tells why, what to type, and the status")
    func refused() throws {
        let (message, hint) = ("It has no bytes.", "Do that.")
        let failure = CommandFailure(.cannotResume, code: "cannotResume", message, hint: hint)
        let preview = try preview(.refuse(failure))
        #expect(preview.failure?.status == .cannotResume)
        #expect(preview.lines().contains { $0.hasSuffix("refuses: it has no bytes") })
        #expect(preview.lines().contains { $0.contains("Next") && $0.hasSuffix("Do that.") })
        let end = #""action":"refuse","tool":null,"controlFile":null,"kept":null,"transfer":null,"#
        #expect(preview.json.text.contains(end + #""reason":"It has no bytes.","hint":"Do that."}"#))
    }

    @Test("in a narrow terminal, a text continues below itself", arguments: [30, 60, 80])
    func narrow(columns: Int) throws {
        let preview = try preview(find(.inOrder))
        let lines = preview.lines(columns: columns).flatMap { $0.split(separator: "\n") }
        #expect(lines.allSatisfy { $0.count < columns || !$0.dropFirst(16).contains(" ") }, "\(lines)")
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("  ") })
        let text = lines.dropFirst().map { $0.dropFirst(16) }.joined(separator: " ")
        #expect(text == preview.lines().dropFirst().map { $0.dropFirst(16) }.joined(separator: " "))
    }

    @Test("each action has a stable name in JSON")
    func names() throws {
        let id = TransferID(rawValue: 3)
        let actions: [(AdoptionPreview.Action, String)] = [
            (find(.aria2(controlFile: "c")), #""adopt","tool":"aria2","controlFile":"c","kept":100,"#),
            (find(.inOrder), #""adopt","tool":"inOrder","controlFile":null,"kept":100,"#),
            (find(.ferry), #""adopt","tool":"ferry","controlFile":null,"kept":100,"#),
            (.download, #""download","tool":null"#),
            (.complete(id), #""complete","tool":null,"controlFile":null,"kept":null,"transfer":3,"#),
            (.resume(id, received: 7), #""resume","tool":null,"controlFile":null,"kept":null,"transfer":3,"#),
        ]
        for (action, text) in actions {
            let json = try preview(action).json.text
            #expect(json.contains(#""action":"# + text), "\(json)")
        }
    }
}
