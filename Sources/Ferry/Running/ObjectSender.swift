import FerryCore
import FerryUploads

/// Sends a request for an object: signs it when it is sent, and follows what the store says about its region, the clock
/// and the credentials.
struct ObjectSender: Sendable {
    let stores: ObjectStoreSessions
    let terms: ExchangeTerms
    let clock: any WallClock
    /// The version of the object that is asked for; `nil` for the latest.
    let version: String?
    /// Whether the caller keeps the answer of a refusal, and judges it.
    let keepsRefusals: Bool

    /// What follows from one answer.
    enum Step<Result: Sendable>: Sendable {
        case done(Result)
        case turn(ObjectStoreTurn)
    }

    /// Maximum number of times that a store is asked again, each time for another reason.
    private static let mostTurns = 4
    /// A body of up to this length is signed where a connection is not encrypted, in bytes.
    private static let longestSigned: Int64 = 1 << 20

    /// Sends a request whose URL is the name of an object.
    ///
    /// - Parameters:
    ///   - send: sends a request over HTTP.
    ///   - handle: also gets the URL that the request went to.
    /// - Throws: ``Problem``, and what `send` and `handle` throw.
    func withResponse<Result: Sendable>(
        to request: TransportRequest,
        of name: ObjectName,
        by send: (
            TransportRequest,
            @escaping @Sendable (ResponseHead, any ResponseBody) async throws -> Step<Result>
        ) async throws -> Step<Result>,
        _ handle: @escaping @Sendable (ResponseHead, any ResponseBody, HTTPURL) async throws -> Result
    ) async throws -> Result {
        let question = ObjectStoreAccess.Question(
            store: name.store,
            bucket: name.bucket,
            reference: terms.store ?? ObjectStoreReference()
        )
        var hasRenewed = false
        for number in 1... {
            let session = try await stores.terms(for: question)
            let signed = try sign(request, of: name, session)
            let isLast = number == Self.mostTurns
            let access = session.access
            let step: Step<Result> = try await send(signed) { head, body in
                guard let judged = try await judge(head, body, from: signed.url, of: name.store, access)
                else {
                    return .done(try await handle(head, body, signed.url))
                }
                switch judged.turn {
                case .pass: break
                case .fail where keepsRefusals: break
                case _ where isLast: break
                default: return .turn(judged.turn)
                }
                return .done(try await handle(head, judged.body, signed.url))
            }
            switch step {
            case .done(let result): return result
            case .turn(.fail(let problem)): throw problem
            case .turn(.move(let region)): await stores.learn(region: region, for: question)
            case .turn(.correct(let difference)):
                await stores.learn(correction: difference, for: question)
            case .turn(.renew):
                guard !hasRenewed else { throw Problem.expiredCredentials(of: name.store) }
                hasRenewed = true
                await stores.renew(session.number, of: question)
            case .turn(.pass): break
            }
        }
        preconditionFailure("the last turn ends")
    }

    /// Reads what the body of an answer says about the request; `nil` if it is left to the caller.
    private func judge(
        _ head: ResponseHead,
        _ body: any ResponseBody,
        from url: HTTPURL,
        of store: ObjectStore,
        _ access: ObjectStoreAccess
    ) async throws -> (turn: ObjectStoreTurn, body: CollectedBody)? {
        guard ObjectStoreTurn.concerns(head.status),
            (head.bodyLength ?? 0) <= ObjectStoreTurn.longestBody
        else { return nil }
        let bytes = try await body.collect(upTo: ObjectStoreTurn.longestBody)
        let turn = ObjectStoreTurn(
            UploadAnswer(head.status, head.headers, body: bytes, from: url),
            from: store,
            region: access.addressing.region,
            isOwnServer: access.addressing.endpoint == nil,
            at: clock.now
        )
        return (turn, CollectedBody(bytes: bytes))
    }

    /// The bytes of a body that a signature covers; `nil` for one that is streamed.
    private static func body(of request: TransportRequest) -> [UInt8]? {
        guard case .bytes(let bytes) = request.body, bytes.count <= longestSigned else { return nil }
        return bytes
    }

    private func sign(
        _ request: TransportRequest,
        of name: ObjectName,
        _ session: ObjectStoreSessions.Terms
    ) throws(Problem) -> TransportRequest {
        do throws(SigningRefusal) {
            let sent = try session.signer.sent(
                request.method,
                request.url,
                version.map { [(name.store.versionParameter, $0)] } ?? [],
                request.headers,
                Self.body(of: request),
                session.access.addressing,
                at: clock.now.advanced(by: session.correction)
            )
            var signed = request
            (signed.url, signed.headers) = (sent.url, sent.fields)
            let certificate = request.connection.clientCertificate
            signed.connection = terms.connection(to: sent.url)
            signed.connection.clientCertificate = certificate
            return signed
        } catch {
            throw .refused(error)
        }
    }
}

extension ObjectStore {
    /// The parameter that names a version of an object. Google calls it a generation.
    fileprivate var versionParameter: String { self == .gs ? "generation" : "versionId" }
}

extension Problem {
    fileprivate static func expiredCredentials(of store: ObjectStore) -> Problem {
        .permanent(
            .notAuthorised,
            "\(store) says that the credentials have expired, and there are no others.",
            remedies: [.retry]
        )
    }
}

/// A body that has arrived already.
private struct CollectedBody: ResponseBody {
    let bytes: [UInt8]

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        // Only the answer of a refusal is collected, and its body is never written to a file.
        throw Problem.permanent(.badResponse, "The store sent an error where a file was expected.")
    }

    func collect(upTo bound: Int) async throws -> [UInt8] { Array(bytes.prefix(bound)) }
}
