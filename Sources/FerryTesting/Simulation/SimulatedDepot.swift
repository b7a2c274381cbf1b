import FerryCore
import HTTPTypes
internal import Synchronization

/// A file that someone wants to upload in parts.
struct UploadPlan: Sendable {
    /// Its place among the errands.
    var place: Int
    var length: Int
    var partSize: Int64?
    var startsOverOnChange: Bool
    var retries: Int

    init(place: Int, _ dice: SimulationDice) {
        self.place = place
        length = dice.pick([0, 1, 700, 3_000])
        partSize = dice.pick([nil, 200, 1_000])
        startsOverOnChange = dice.happens(500)
        retries = dice.pick([1_000_000, 1_000_000, 3])
    }

    /// The path of the file.
    var path: String { "/uploads/\(place)" }

    /// The URL at which uploads of the file are created.
    var url: HTTPURL { SimulatedDepot.url("files/\(place)") }
}

/// A server of tus 1.0.0 (https://tus.io/protocols/resumable-upload), with the versions of the files that are uploaded to it.
final class SimulatedDepot: Sendable {
    /// An upload that the server knows.
    struct Upload: Sendable {
        let place: Int
        let length: Int
        var bytes: [UInt8] = []
        /// Whether it is the whole file.
        var isWhole: Bool { bytes.count == length }
    }

    private struct State {
        var uploads: [Int: Upload] = [:]
        var latest = 0
        /// The whole files that have arrived, by their places.
        var objects: [Int: [[UInt8]]] = [:]
        /// The versions of each file, by its place.
        var versions: [Int: [[UInt8]]] = [:]
    }

    private let state = Mutex(State())
    private let files: MemoryBodyFiles
    private let trace: SimulationTrace

    init(files: MemoryBodyFiles, trace: SimulationTrace) { (self.files, self.trace) = (files, trace) }

    static let host = "depot.example"

    static func url(_ path: String) -> HTTPURL {
        do {
            return try HTTPURL(parsing: "http://\(host)/\(path)")
        } catch {
            preconditionFailure("an address of the depot is a URL")
        }
    }

    /// The place of the errand that an upload to a URL belongs to.
    func place(of url: HTTPURL) -> Int? {
        let parts = url.path.split(separator: "/")
        return url.host == Self.host && parts.count == 2 && parts[0] == "files" ? Int(parts[1]) : nil
    }

    private func number(of url: HTTPURL) -> Int? {
        let parts = url.path.split(separator: "/")
        return parts.count == 2 && parts[0] == "uploads" ? Int(parts[1]) : nil
    }

    // MARK: Files

    /// The file of an errand as it is now.
    func file(_ plan: UploadPlan) -> PinnedFile {
        if files.pinned(plan.path) == nil { change(plan) }
        guard let file = files.pinned(plan.path) else { preconditionFailure("a file that was put is there") }
        return file
    }

    /// Puts a new version of the file of an errand in its place.
    func change(_ plan: UploadPlan) {
        let bytes = state.withLock { state in
            let number = state.versions[plan.place, default: []].count
            let bytes = (0..<plan.length).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ number &* 101) }
            state.versions[plan.place, default: []].append(bytes)
            return bytes
        }
        files.put(bytes, at: plan.path)
    }

    /// Whether the file of an errand was ever changed.
    func hasChanged(_ place: Int) -> Bool { state.withLock { $0.versions[place, default: []].count > 1 } }

    /// The number of whole files that have arrived for an errand.
    func arrivals(for place: Int) -> Int { state.withLock { $0.objects[place, default: []].count } }

    /// Whether the server still holds an unfinished upload.
    func holds(_ url: HTTPURL) -> Bool {
        guard let number = number(of: url) else { return false }
        return state.withLock { $0.uploads[number].map { !$0.isWhole } ?? false }
    }

    // MARK: Faults

    /// The server forgets an upload, or the latest bytes of it.
    func disturb(_ dice: SimulationDice) {
        let open = state.withLock { $0.uploads.filter { !$0.value.isWhole }.keys.sorted() }
        guard !open.isEmpty else { return }
        let number = dice.pick(open)
        if dice.happens(500) {
            trace.count(.uploadLost, Int64(number))
            state.withLock { $0.uploads[number] = nil }
        } else {
            trace.count(.uploadFellBack, Int64(number))
            state.withLock { state in
                let count = state.uploads[number]?.bytes.count ?? 0
                state.uploads[number]?.bytes.removeLast(dice.number(in: 0..<count + 1))
            }
        }
    }

    // MARK: Requests

    private static let resumable = HTTPField.Name("Tus-Resumable")!
    private static let version = HTTPField.Name("Tus-Version")!
    private static let extensions = HTTPField.Name("Tus-Extension")!
    private static let length = HTTPField.Name("Upload-Length")!
    private static let offset = HTTPField.Name("Upload-Offset")!

    /// Acts on a request of which these bytes have arrived. A server keeps the bytes of a request that breaks off.
    func receive(_ request: TransportRequest, _ bytes: [UInt8]) -> ResponseHead {
        var fields: HTTPFields = [Self.resumable: "1.0.0"]
        let status = state.withLock { act(on: request, bytes, &$0, &fields) }
        trace.note("depot answers", Int64(status), Int64(bytes.count), "\(request.method) \(request.url)")
        return ResponseHead(status: status, headers: fields, bodyLength: 0)
    }

    private func act(
        on request: TransportRequest,
        _ bytes: [UInt8],
        _ state: inout State,
        _ fields: inout HTTPFields
    ) -> Int {
        switch request.method {
        case .options:
            fields[Self.version] = "1.0.0"
            fields[Self.extensions] = "creation,termination"
            return 200
        case .post:
            guard let place = place(of: request.url),
                let length = request.headers[Self.length].flatMap({ Int($0) })
            else { return 400 }
            state.latest += 1
            let upload = Upload(place: place, length: length)
            state.uploads[state.latest] = upload
            if upload.isWhole { keep(upload, &state) }
            fields[.location] = "/uploads/\(state.latest)"
            return 201
        case .head, .patch, .delete:
            guard let number = number(of: request.url), var upload = state.uploads[number] else { return 404 }
            if request.method == .delete {
                state.uploads[number] = nil
                return 200
            }
            if request.method == .patch {
                guard request.headers[Self.offset] == "\(upload.bytes.count)" else { return 409 }
                upload.bytes += bytes
                state.uploads[number] = upload
                if upload.isWhole { keep(upload, &state) }
            }
            fields[Self.offset] = "\(upload.bytes.count)"
            if request.method == .head { fields[Self.length] = "\(upload.length)" }
            return 200
        default: return 405
        }
    }

    /// Takes a whole file. It must be one version of it.
    private func keep(_ upload: Upload, _ state: inout State) {
        state.objects[upload.place, default: []].append(upload.bytes)
        let versions = state.versions[upload.place, default: []]
        if !versions.contains(where: { $0.hasSameBytes(as: upload.bytes) }) {
            trace.complain("I5: an upload of \(upload.length) bytes has bytes of several versions")
        }
    }
}
