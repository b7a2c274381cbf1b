import Foundation
import Glibc

/// One connection of a ``ScriptedServer``, used by one thread that may block.
struct ScriptedConnection {
    let descriptor: Int32

    /// Reads the head of a request; `nil` if the client has disconnected.
    func readHead() -> ScriptedRequest? {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        let end: [UInt8] = [13, 10, 13, 10]
        while head.count < 65_536 {
            let count = recv(descriptor, &byte, 1, 0)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return nil }
            head.append(byte)
            if byte == 10, head.suffix(4).elementsEqual(end) { break }
        }
        return ScriptedRequest(head: String(decoding: head, as: UTF8.self))
    }

    /// Reads the body of a request that gives its length; `nil` if the client has disconnected.
    func readBody(of request: ScriptedRequest) -> [UInt8]? {
        read(request["content-length"].flatMap { Int($0) } ?? 0)
    }

    /// Reads the body of a request, and asks for it first if the client waits for that; `nil` if the client has disconnected.
    func askForBody(of request: ScriptedRequest) -> [UInt8]? {
        if request["expect"] == "100-continue" {
            guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
        }
        return readBody(of: request)
    }

    /// Reads the body of a request as far as it comes, in pieces of 64 KiB, and says whether that is all; `nil` if the client has
    /// disconnected before it.
    func askForWhatComes(of request: ScriptedRequest) -> (bytes: [UInt8], isWhole: Bool)? {
        let length = request["content-length"].flatMap { Int($0) } ?? 0
        if request["expect"] == "100-continue" {
            guard send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else { return nil }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        while bytes.count < length, let piece = read(min(length - bytes.count, 65_536)) { bytes += piece }
        return (bytes, bytes.count == length)
    }

    /// Reads this number of bytes; `nil` if the client has disconnected before.
    func read(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress! + done, $0.count - done, 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            done += count
        }
        return bytes
    }

    /// Writes a reply; returns `false` if the connection must be closed after it.
    func write(_ reply: ScriptedReply, to request: ScriptedRequest) -> Bool {
        var head = "HTTP/1.1 \(reply.status) Scripted\r\n"
        for (name, value) in reply.fields { head += "\(name): \(value)\r\n" }
        switch reply.framing {
        case .length: head += "Content-Length: \(reply.body.count)\r\n"
        case .chunked: head += "Transfer-Encoding: chunked\r\n"
        case .untilClose: head += "Connection: close\r\n"
        }
        guard send(Array((head + "\r\n").utf8)) else { return false }
        guard request.method != "HEAD" else { return true }

        let body = reply.cut.map { Array(reply.body.prefix($0.bytes)) } ?? reply.body
        guard sendBody(body, of: reply) else { return false }
        switch reply.cut?.then {
        case nil: return reply.framing != .untilClose
        case .hangUp: return false
        case .stall:
            hold()
            return false
        }
    }

    private func sendBody(_ body: [UInt8], of reply: ScriptedReply) -> Bool {
        var done = 0
        for (bytes, gate) in reply.gates + [(body.count, nil)] as [(Int, Gate?)] {
            let piece = Array(body[done..<max(done, min(bytes, body.count))])
            done += piece.count
            let isLast = done == body.count && reply.cut == nil
            guard reply.framing == .chunked ? sendChunks(piece, isWhole: isLast) : send(piece) else {
                return false
            }
            gate?.pass()
        }
        return true
    }

    /// Sends nothing until the client disconnects or the server is stopped.
    func hold() {
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) > 0 {}
    }

    /// Sends nothing for a number of milliseconds, or until the client disconnects. Returns whether it is still connected.
    @discardableResult
    func pause(_ milliseconds: Int) -> Bool {
        // POLLRDHUP, which Swift's Glibc module lacks: the peer has closed its sending side.
        var entry = pollfd(fd: descriptor, events: 0x2000, revents: 0)
        return poll(&entry, 1, Int32(milliseconds)) == 0
    }

    /// Makes the close of the connection send a reset.
    func resetWhenClosed() {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    }

    private func sendChunks(_ body: [UInt8], isWhole: Bool) -> Bool {
        var rest = body[...]
        while !rest.isEmpty {
            let piece = rest.prefix(10_000)
            rest = rest.dropFirst(piece.count)
            let head = Array((String(piece.count, radix: 16) + "\r\n").utf8)
            guard send(head + piece + [13, 10]) else { return false }
        }
        return !isWhole || send(Array("0\r\n\r\n".utf8))
    }

    /// Sends all bytes, at this rate; `false` if the client disconnects.
    func send(_ bytes: Data, bytesPerSecond: Int?) -> Bool {
        guard let bytesPerSecond else { return send(bytes) }
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(max(1, bytesPerSecond / 100))
            guard send(piece) else { return false }
            rest = rest.dropFirst(piece.count)
            pause(10)
        }
        return true
    }

    /// Sends all bytes; `false` if the client disconnects.
    func send(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        bytes.withContiguousStorageIfAvailable { send(UnsafeRawBufferPointer($0)) } ?? send(Array(bytes))
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        var offset = 0
        while offset < bytes.count {
            let count = Glibc.send(descriptor, start + offset, bytes.count - offset, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }
}
