import FerryCore
import Testing

@Suite("Where a file is")
struct FilePlaceTests {
    @Test(
        "the folders below the chosen directory are those that a document or a server named",
        arguments: [
            ("/d/a/b", "/d", ["a", "b"]), ("/d/a", "/d/", ["a"]), ("/d//a/", "/d", ["a"]), ("/d/", "/d", []),
            ("/a", "/", ["a"]), ("/d", "/d", nil), ("/da", "/d", nil), ("/e/a", "/d", nil),
            ("/d/a", nil, nil),
            ("/d/e\u{301}", "/d", ["e\u{301}"]), ("/\u{E9}/a", "/e\u{301}", nil),
        ] as [(String, String?, [String]?)]
    )
    func folders(_ directory: String, _ root: String?, _ folders: [String]?) throws {
        let name = try FileName(userGiven: "file")
        let place = FilePlace(directory: directory, name: name, root: root)
        #expect(place.folders == folders)
        #expect(place.part == name.partName)
    }

    @Test("a download is below the directory that its options name")
    func ofADownload() throws {
        var options = DownloadOptions()
        options.root = "/d"
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://h/file"),
            destination: .file(directory: "/d/sub", name: try FileName(userGiven: "file")),
            options: options
        )
        var work = DownloadWork(specification)
        #expect(work.place?.root == "/d" && work.place?.folders == ["sub"])
        work.progress.part = PartFileClaim(
            name: try FileName(userGiven: "file.part"),
            identity: FileIdentity(device: 1, inode: 2),
            boot: BootID(rawValue: "boot")
        )
        guard case .partFile(let place, _)? = work.residue else {
            Issue.record("it leaves its part file")
            return
        }
        #expect(place.folders == ["sub"])
    }
}
