import FerryCore
import FerryTesting
import Testing

@testable import FerrySQLite

/// Options are stored in little room, and come back as they were.
struct RowCodecTests {
    @Test func columnsHaveTheNamesOfTheirCasesInSnakeCase() {
        for column in TransferColumn.allCases {
            let name = "\(column)".reduce(into: "") { name, letter in
                name += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
            }
            #expect(column.name == name)
        }
    }

    @Test func storesThePlainOptionsAsNothing() throws {
        let codec = RowCodec()
        #expect(try codec.texts.encode(DownloadOptions()) == nil)
        #expect(try codec.texts.encode(DownloadOptions()) == nil)
        #expect(try codec.texts.decodeOptions(nil) == DownloadOptions())
    }

    /// Neither may follow when a default changes: what is stored means what it meant.
    @Test func readsNothingAsThePlainOptionsThatAreWrittenDown() throws {
        let (codec, plain) = (RowCodec(), StoredTexts.plainOptions)
        let codings = codec.texts.codings
        let read = try codec.texts.decodeOptions(nil)
        #expect(codec.texts.codings == codings, "no decoder is needed")
        #expect(try read == codec.texts.decodeJSON(DownloadOptions.self, from: plain))
        #expect(try codec.texts.encodeJSON(read).utf8.elementsEqual(plain.utf8))
    }

    @Test func writesOutEveryOtherOptions() throws {
        let codec = RowCodec()
        var options = DownloadOptions()
        options.retries += 1
        let text = try #require(try codec.texts.encode(options))
        #expect(try codec.texts.encode(DownloadOptions()) == nil)
        #expect(try codec.texts.encode(options) == text)
        #expect(try codec.texts.decodeOptions(text) == options)
        #expect(try codec.texts.decodeOptions(nil) == DownloadOptions())
        #expect(try RowCodec().texts.decodeOptions(text) == options)
    }

    @Test func downloadsWithTheSameStoredOptionsShareThem() throws {
        let texts = StoredTexts()
        func read(_ name: String, _ options: String?) throws -> DownloadSpecification {
            let url = try HTTPURL(parsing: "https://h/\(name)")
            let place = Destination.file(directory: "/\(name)", name: nil)
            let download = try texts.decode(url, to: place, options: options)
            #expect(download.url == url && download.destination == place, "only the options are shared")
            #expect(try download.options == StoredTexts().decodeOptions(options))
            return download
        }
        var options = DownloadOptions()
        for retries in [3, 4] {
            options.retries = retries
            let text = try texts.encodeJSON(options)
            let (one, other) = (try read("a", text), try read("b", text))
            #expect(one.sharesOptions(with: other))
            let plain = try read("c", nil)
            #expect(!plain.sharesOptions(with: one))
        }
        #expect(throws: (any Error).self) { try read("d", "") }
    }

    @Test func doesNotMistakeOneTextForAnotherThatLooksTheSame() throws {
        let codec = RowCodec()
        var composed = DownloadOptions()
        composed.connection.certificateAuthorityFile = "caf\u{E9}"
        var decomposed = composed
        decomposed.connection.certificateAuthorityFile = "cafe\u{301}"
        try #require(composed == decomposed, "equal, and yet two different files")
        for options in [composed, decomposed, composed] {
            let text = try #require(try codec.texts.encode(options))
            let kept = try codec.texts.decodeOptions(text).connection.certificateAuthorityFile
            #expect(
                kept.map { Array($0.utf8) }
                    == options.connection.certificateAuthorityFile.map { Array($0.utf8) }
            )
        }
    }

    @Test(arguments: ["root", "ignoredQuery"])
    func directoriesAndParametersThatLookTheSameAreNotMistaken(_ option: String) throws {
        let texts = StoredTexts()
        for text in ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"] {
            var options = DownloadOptions()
            if option == "root" { options.root = text } else { options.ignoredQuery = [text] }
            let found = try #require(try texts.encode(options))
            #expect(try found.utf8.elementsEqual(StoredTexts().encodeJSON(options).utf8))
        }
    }

    @Test(arguments: ["/mnt/usb", "/mnt/caf\u{E9} \"1\""])
    func aMountPointIsKeptAndPlainOptionsStayShort(_ mountPoint: String) throws {
        var plain = StoredTexts.plainValue
        plain.mountPoint = mountPoint
        var other = plain
        other.connections = 3
        for options in [plain, other] {
            let texts = StoredTexts()
            let text = try #require(try texts.encode(options))
            #expect(try texts.decodeOptions(text) == options)
            #expect(try StoredTexts().decodeOptions(text) == options)
            // An older Ferry reads the options, and ignores the mount point.
            #expect(try texts.decodeJSON(DownloadOptions.self, from: text) == options)
        }
        plain.mountPoint = "/a"
        #expect(try StoredTexts().encode(plain) == #"{"mountPoint":"/a"}"#)
    }

    @Test func optionsThatDownloadsShareAreEncodedOnceWhateverIsInThem() throws {
        let texts = StoredTexts()
        var first = DownloadSpecification(
            url: try HTTPURL(parsing: "https://example.com/a"),
            destination: .file(directory: "/downloads", name: nil)
        )
        first.options.connection.certificateAuthorityFile = "caf\u{E9}"
        var other = first
        other.url = try HTTPURL(parsing: "https://example.com/b")
        let text = try texts.encode(optionsOf: first)
        #expect(try texts.encode(optionsOf: other) == text)
        #expect(texts.codings == 1)
        other.options.connection.certificateAuthorityFile = "cafe\u{301}"
        try #require(other.options == first.options, "equal, and yet two different files")
        for specification in [other, first, other] {
            let expected = try StoredTexts().encodeJSON(specification.options)
            let found = try #require(try texts.encode(optionsOf: specification))
            #expect(found.utf8.elementsEqual(expected.utf8))
        }
    }

    @Test func requestsThatDifferInOctetsOnlyAreNotMistaken() throws {
        let codec = RowCodec()
        for text in ["caf\u{E9}", "cafe\u{301}", "caf\u{E9}"] {
            var request = try RequestSpecification(
                method: .post,
                url: try HTTPURL(parsing: "http://a.example/")
            )
            request.exchange.headers = [HeaderField(name: "X-Name", value: text)]
            for codec in [codec, RowCodec()] {
                let decoded = try codec.texts.decodeRequest(try codec.texts.encodeJSON(request))
                #expect(decoded.exchange.headers.map { Array($0.value.utf8) } == [Array(text.utf8)])
            }
        }
        #expect(throws: (any Error).self) { try codec.texts.decodeRequest("{}") }
    }

    @Test func fieldsInASCIIAreEncodedOnceAndOthersOctetForOctet() throws {
        let texts = StoredTexts()
        try #require("K" == "\u{212A}", "the letter and the Kelvin sign")
        var request = try RequestSpecification(method: .post, url: .storedApart)
        for value in ["K", "\u{212A}", "K", "a", "K", "a"] {
            request.exchange.headers = [HeaderField(name: "X-Name", value: value)]
            #expect(try texts.encode(request).utf8.elementsEqual(StoredTexts().encodeJSON(request).utf8))
        }
        #expect(texts.codings == 3)
        var options = DownloadOptions()
        for value in ["K", "K", "\u{212A}", "K"] {
            options.exchange.headers = [HeaderField(name: "X-Name", value: value)]
            let text = try #require(try texts.encode(options))
            #expect(try text.utf8.elementsEqual(StoredTexts().encodeJSON(options).utf8))
        }
        #expect(texts.codings == 5)
    }

    @Test func requestsThatDifferInWhatIsStoredApartAreCodedOnce() throws {
        let (writer, reader) = (StoredTexts(), StoredTexts())
        for number in 0..<300 {
            let url = try HTTPURL(parsing: "http://a.example/\(number)")
            var request = try RequestSpecification(
                method: .post,
                url: url,
                body: StoredBody("\(number)".utf8),
                key: number % 3 == 0 ? nil : IdempotencyKey(text: "\(number)")
            )
            request.addedChecksum = number % 5 == 0 ? nil : UInt8(truncatingIfNeeded: number)
            request.responseLimit = number % 2
            let text = try writer.encode(request)
            // Another Ferry may read the text as a whole.
            let whole = try StoredTexts().decodeJSON(RequestSpecification.self, from: text)
            for var read in [try reader.decodeRequest(text), whole] {
                read.take(stored: url)
                #expect(read.take(stored: Array("\(number)".utf8)) && read == request)
            }
        }
        #expect(writer.codings == 2 && reader.codings == 2)
    }

    @Test func moreRequestsThanAreRememberedAreRead() throws {
        let texts = StoredTexts()
        for number in 0..<2 * StoredTexts.rememberedRequests {
            var request = try RequestSpecification(method: .post, url: .storedApart)
            request.responseLimit = number
            #expect(try texts.decodeRequest(texts.encode(request)) == request)
        }
    }

    @Test(
        arguments: [
            "", "\"a\"", "a\\\"b", "caf\u{E9}", "cafe\u{301}", "\u{0}\n\u{1F}", "a\"},\"key\":{", "🚢",
        ]
    )
    func aKeyIsReadOctetForOctet(value: String) throws {
        let texts = StoredTexts()
        for checksum in [nil, 0, 255] as [UInt8?] {
            let key = IdempotencyKey(field: "X-Key", value: value)
            var request = try RequestSpecification(method: .post, url: .storedApart, key: key)
            request.addedChecksum = checksum
            let text = try texts.encode(request)
            let whole = try texts.decodeJSON(RequestSpecification.self, from: text)
            for read in [try texts.decodeRequest(text), whole] {
                #expect(read == request && read.key.map { Array($0.value.utf8) } == Array(value.utf8))
            }
        }
    }

    /// Rows have such texts from before key and checksum came first in them.
    @Test func aRequestWithItsKeyInsideTheTextIsRead() throws {
        let text =
            #"{"checksum":27,"exchange":{"redirectLimit":3},"key":{"field":"Idempotency-Key","#
            + #""value":"\"01a2271e\""},"method":"POST","responseLimit":5,"url":"http://url.invalid/"}"#
        let read = try StoredTexts().decodeRequest(text)
        #expect(read.key == IdempotencyKey(text: "01a2271e") && read.addedChecksum == 27)
        #expect(read.exchange.redirectLimit == 3 && read.responseLimit == 5 && read.method == .post)
    }

    @Test(arguments: [#"{"field":"a b","value":""}"#, #"{"field":"a"}"#, "7"])
    func aKeyThatNoRequestCanHaveIsRefused(key: String) {
        let text = #"{"key":\#(key),"method":"POST","responseLimit":5,"url":"http://url.invalid/"}"#
        #expect(throws: (any Error).self) { try StoredTexts().decodeRequest(text) }
    }

    @Test func aListOfRequestsIsCodedOnce() async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let new = try (UInt8(0)..<40).map { number in
            let uuid = try #require(TransferUUID(bytes: Array(repeating: number, count: 16)))
            let request = try RequestSpecification(
                method: .post,
                url: HTTPURL(parsing: "http://a.example/?number=\(number)"),
                body: StoredBody([number]),
                key: IdempotencyKey(text: "\(uuid)")
            )
            return NewTransfer(request, uuid: uuid)
        }
        let texts = store.group.codec.texts
        let start = texts.codings
        _ = try await store.add(new, holder: nil, at: now)
        #expect(texts.codings == start + 1)
        let claimed = try await store.claim(upTo: new.count, only: nil, for: owner, at: now)
        #expect(texts.codings == start + 2)
        #expect(Set(claimed.map(\.work)) == Set(new.map(\.work)))
        await store.close()
    }

    /// A transfer that this process has claimed, as its codec remembers it.
    private static func claimed(_ id: TransferID, _ codec: RowCodec) throws {
        let request = try RequestSpecification(method: .post, url: try HTTPURL(parsing: "http://a.example/"))
        codec.remember(RememberedWork(new: NewTransfer(request), added: .epoch, revision: 0), of: id)
    }

    private static func answered(_ body: String) -> WorkProgress {
        var progress = RequestProgress()
        let field = HeaderField(name: "X-Body", value: body)
        progress.response = StoredResponse(status: 200, fields: [field], body: Array(body.utf8))
        return .request(progress)
    }

    @Test func aPreparedProgressIsWrittenAndReadWithoutCoding() throws {
        let (codec, id) = (RowCodec(), TransferID(rawValue: 1))
        try Self.claimed(id, codec)
        for body in ["caf\u{E9}", "cafe\u{301}", "other"] {
            let progress = Self.answered(body)
            codec.prepare(progress, of: id)
            let columns = try codec.columns(of: progress, of: id)
            #expect(try columns.isSame(as: StoredProgress(progress, codec: RowCodec())))
            #expect(columns.responseBody == Array(body.utf8))
            guard case .request(let known)? = codec.progress(of: id, in: columns) else {
                Issue.record("it is not remembered")
                continue
            }
            let read = known.response
            #expect(
                read?.body == Array(body.utf8) && read?.fields.map(\.value.utf8.count) == [body.utf8.count]
            )
        }
    }

    @Test func aProgressThatIsNotTheOnePreparedIsCoded() throws {
        let (codec, id) = (RowCodec(), TransferID(rawValue: 1))
        try Self.claimed(id, codec)
        codec.prepare(Self.answered("one"), of: id)
        let other = try StoredProgress(Self.answered("two"), codec: RowCodec())
        #expect(codec.progress(of: id, in: other) == nil)
        #expect(try codec.columns(of: Self.answered("two"), of: id).isSame(as: other))
        var cut = try codec.columns(of: Self.answered("one"), of: id)
        cut.responseBody = nil
        #expect(codec.progress(of: id, in: cut) == nil, "another program took the body away")
    }

    @Test func whatWasWrittenIsStillKnownWhenTheNextProgressIsPrepared() throws {
        let (codec, id) = (RowCodec(), TransferID(rawValue: 1))
        try Self.claimed(id, codec)
        let (one, two) = (Self.answered("one"), Self.answered("two"))
        codec.prepare(one, of: id)
        let first = try codec.columns(of: one, of: id)
        codec.prepare(two, of: id)
        #expect(codec.progress(of: id, in: first) == one)
        let second = try codec.columns(of: two, of: id)
        let codings = codec.texts.codings
        // A transaction may run again.
        #expect(try codec.columns(of: two, of: id).isSame(as: second))
        #expect(codec.progress(of: id, in: second) == two && codec.texts.codings == codings)
        #expect(codec.progress(of: id, in: first) == nil)
    }

    /// A download that has got all its bytes, and would be asked for at another URL.
    private static func whole(part: UInt64) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.source = "https://example.com/a?token=secret"
        progress.segments = SegmentMap(length: 10)
        progress.segments.advance(0, writtenTo: 10)
        progress.part = PartFileClaim(
            name: .fallback,
            identity: FileIdentity(device: 1, inode: part),
            boot: BootID(rawValue: "b")
        )
        return progress
    }

    /// All other writers wait for what runs inside of a transaction.
    @Test(arguments: [false, true])
    func onlyTheEndOfAnEditedDownloadIsCodedInItsTransaction(isEdited: Bool) async throws {
        let directory = try StoreDirectory()
        let store = try await SQLiteTransferStore.open(directory: directory.path)
        let owner = try await store.join(process, at: now)
        let id = try await store.add([newTransfer("a")], holder: nil, at: now)[0].transfer.id
        let claim = try #require(try await store.claim(upTo: 1, only: nil, for: owner, at: now).first?.claim)
        let codec = store.group.codec
        let start = codec.texts.codings
        try await store.record(Self.whole(part: 1), for: claim, durability: .process, at: now)
        #expect(codec.texts.codings == start + 1)
        if isEdited {
            var edit = TransferEdit()
            edit.url = try HTTPURL(parsing: "https://other.example/b")
            _ = try await store.edit(id, edit, at: now)
        }
        let settlement = Settlement(.completed, progress: Self.whole(part: 2))
        codec.prepare(settlement, of: id)
        let prepared = codec.texts.codings
        let ended = try await store.group.write(.power) { try $0.settle(claim, as: settlement, at: now) }
        #expect((codec.texts.codings > prepared) == isEdited)
        #expect(ended.state == .completed && ended.downloadProgress.source == nil)
        #expect(ended.downloadProgress.part?.identity.inode == 2)
        #expect(try await store.transfer(id) == ended)
        await store.close()
    }

    @Test func nothingIsKeptOfATransferThatIsNotRunHere() throws {
        let codec = RowCodec()
        let (mine, others) = (TransferID(rawValue: 1), TransferID(rawValue: 2))
        let progress = Self.answered("one")
        codec.prepare(progress, of: others)
        #expect(try codec.progress(of: others, in: codec.columns(of: progress, of: others)) == nil)
        try Self.claimed(mine, codec)
        codec.prepare(progress, of: mine)
        codec.forgetProgress(of: mine)
        #expect(try codec.progress(of: mine, in: codec.columns(of: progress, of: mine)) == nil)
        codec.prepare(progress, of: mine)
        try Self.claimed(mine, codec)
        #expect(
            try codec.progress(of: mine, in: codec.columns(of: progress, of: mine)) == nil,
            "claimed again"
        )
        for number in 0..<RememberedWorks.most {
            try Self.claimed(TransferID(rawValue: Int64(10 + number)), codec)
        }
        #expect(codec.work(of: mine) == nil, "the ring is full")
    }
}
