import Glibc
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Writes the body of one upload to a file of a directory. What is not whole is in a file `NAME.unfinished-…`, which is gone
/// with the upload.
final class FileReceiver: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let directory: String
    private var file: File?
    private var refusal = HTTPResponse.Status.notImplemented

    private struct File {
        var final: String
        var draft: String
        var descriptor: Int32
    }

    init(directory: String) {
        self.directory = directory
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let request): begin(request)
        case .body(let bytes): write(bytes)
        case .end: answer(end(), context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        discard()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        discard()
        context.close(promise: nil)
    }

    private func begin(_ request: HTTPRequest) {
        guard request.method == .put, let path = request.path, !path.contains("..") else { return }
        var template = Array("\(directory)\(path).unfinished-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        let draft = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        if descriptor < 0 {
            refusal = .internalServerError
        } else {
            file = File(final: directory + path, draft: draft, descriptor: descriptor)
        }
    }

    private func write(_ bytes: ByteBuffer) {
        guard let file else { return }
        let isWritten = bytes.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    file.descriptor,
                    UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                    rest.count
                )
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
        guard !isWritten else { return }
        discard()
        refusal = .internalServerError
    }

    private func end() -> HTTPResponse.Status {
        guard let file else { return refusal }
        guard rename(file.draft, file.final) == 0 else { return .internalServerError }
        close(file.descriptor)
        self.file = nil
        return .created
    }

    private func discard() {
        guard let file else { return }
        unlink(file.draft)
        close(file.descriptor)
        self.file = nil
    }

    private func answer(_ status: HTTPResponse.Status, _ context: ChannelHandlerContext) {
        let head = HTTPResponse(status: status, headerFields: [.contentLength: "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
