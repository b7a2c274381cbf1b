import FerryCore
import FerryTesting
import GRDB
import Testing

@testable import FerrySQLite

/// Remedies are kept in rows, which a newer Ferry may have written.
@Suite("Stored remedies")
struct StoredRemedyTests {
    private let codec = RowCodec()

    @Test("every remedy is read as it was stored", arguments: Remedy.oneOfEach)
    func keepsEveryRemedy(_ remedy: Remedy) throws {
        let failure = TransferFailure(.refused, "No.", remedies: [remedy, .retry], cause: .timeout)
        let text = try codec.texts.encodeJSON(failure)
        #expect(try codec.texts.decodeJSON(TransferFailure.self, from: text) == failure, "\(text)")
    }

    @Test("a remedy of a newer Ferry is left out, and the failure is read")
    func leavesOutWhatIsUnknown() throws {
        let known = #"{"retry":{}},{"retryFirst":{"_0":7}}"#
        for unknown in [#"{"teleport":{}}"#, #"{"retryFirst":{"name":"x"}}"#, #""retry""#, "7", "null", "[]"]
        {
            for list in ["[\(unknown),\(known)]", "[\(known),\(unknown)]"] {
                let text = #"{"code":"refused","message":"No.","remedies":\#(list)}"#
                let failure = try codec.texts.decodeJSON(TransferFailure.self, from: text)
                #expect(failure.code == .refused && failure.message == "No.")
                let expected: [Remedy] = [.retry, .retryFirst(TransferID(rawValue: 7))]
                #expect(failure.remedies == expected, "\(text)")
            }
        }
    }

    @Test(
        "a failure without a list of remedies is read without remedies",
        arguments: ["", #","remedies":{}"#]
    )
    func needsNoList(_ member: String) throws {
        let text = #"{"code":"refused","message":"No."\#(member)}"#
        #expect(
            try codec.texts.decodeJSON(TransferFailure.self, from: text) == TransferFailure(.refused, "No.")
        )
    }

    @Test("a failure has its status in the store, and one without a status is stored as before")
    func keepsTheStatus() throws {
        var failure = TransferFailure(.notFound, "Nothing there.")
        #expect(!(try codec.texts.encodeJSON(failure)).contains("status"))
        failure.status = 404
        #expect(
            try codec.texts.decodeJSON(TransferFailure.self, from: codec.texts.encodeJSON(failure)) == failure
        )
    }

    @Test("an unknown remedy does not damage its row")
    func doesNotDamageTheRow() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let id = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        let claim = try #require(try await store.claim(upTo: 1, only: [id], for: owner, at: now).first?.claim)
        let failure = TransferFailure(.refused, "No.", remedies: [.retry])
        try await store.settle(claim, as: Settlement(.failed(failure), progress: DownloadProgress()), at: now)
        try await store.group.write(.process) {
            try $0.db.execute(sql: "UPDATE transfer SET failure = replace(failure, 'retry', 'teleport')")
        }
        #expect(try await store.transfer(id)?.state == .failed(TransferFailure(.refused, "No.")))
        #expect(try await store.verify() == [])
        await store.close()
    }
}
