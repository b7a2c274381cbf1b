import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct DataDirectoryTests {
    @Test(
        arguments: [
            ("/a", ["FERRY_DATA_DIR": "/b"], "/a"), ("rel", [:], "/work-that-is-not-there/rel"),
            (nil, ["FERRY_DATA_DIR": "/b", "XDG_STATE_HOME": "/c"], "/b"),
            (nil, ["FERRY_DATA_DIR": "", "XDG_STATE_HOME": "/c"], "/c/ferry"),
            (nil, ["XDG_STATE_HOME": "relative"], "/home-that-is-not-there/.local/state/ferry"),
            (nil, [:], "/home-that-is-not-there/.local/state/ferry"),
        ] as [(String?, [String: String], String)]
    )
    func isTheFirstThatIsNamed(_ option: String?, _ variables: [String: String], _ expected: String) throws {
        let environment = ProcessEnvironment(
            variables: variables,
            workingDirectory: "/work-that-is-not-there",
            home: "/home-that-is-not-there"
        )
        #expect(try DataDirectory.path(option: option, environment: environment) == expected)
    }

    @Test(
        arguments: [("/nowhere/at-all", true), ("/", true), ("/dev/null", false)]
    )
    func onlyADirectoryThatMayGetAStoreIsSaidToHaveNone(_ path: String, isSaid: Bool) {
        #expect(!DataDirectory.holdsStore(path))
        let text = DataDirectory.noStoreText(path)
        #expect(isSaid ? text?.hasPrefix("There is no store in \(path), ") == true : text == nil)
    }

    @Test func withoutAHomeItMustBeNamed() {
        let failure = #expect(throws: CommandFailure.self) {
            try DataDirectory.path(option: nil, environment: Sample.environment)
        }
        #expect(failure?.status == .usage)
    }
}
