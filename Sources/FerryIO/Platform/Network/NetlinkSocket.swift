#if os(Linux)
internal import CFerryPlatform
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension Platform {
    /// A socket that receives every change of links, addresses and routes; `nil` if none can be opened.
    static func routeListener() -> Int32? {
        do {
            return try retrying { ferry_route_socket(NetlinkSocket.everything) }
        } catch {
            return nil
        }
    }
}

/// A connection to the kernel's tables of links, addresses and routes.
struct NetlinkSocket: ~Copyable {
    let descriptor: FileDescriptor
    private var latest: UInt32 = 0

    /// The kernel's longest answer: that for a link with many virtual functions.
    private static let bufferLength = 64 * 1024
    /// Maximum time for an answer, in milliseconds. The kernel answers within the call that asks.
    private static let patience: Int32 = 1000
    /// Maximum datagrams of a list: a router may have a million routes, which are not all read.
    private static let longestList = 1000

    /// Links, addresses and routes of both families (`RTMGRP_*`).
    static let everything: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    init() throws(Errno) {
        descriptor = FileDescriptor(rawValue: try Platform.retrying { ferry_route_socket(0) })
    }

    deinit { Platform.close(descriptor) }

    /// Sends one request, and returns the answer.
    ///
    /// - Throws: the kernel's error number if it reports one.
    mutating func ask(_ type: UInt16, _ payload: [UInt8]) throws(Errno) -> NetlinkMessage {
        try send(type, payload, flags: 0x1)
        while true {
            for message in try receive() where message.sequence == latest {
                if let number = message.errorNumber { throw Errno(rawValue: number) }
                return message
            }
        }
    }

    /// Requests a list, and passes its entries to `body` while that returns true.
    mutating func list(
        _ type: UInt16,
        _ payload: [UInt8],
        _ body: (NetlinkMessage) -> Bool
    ) throws(Errno) {
        // A request for all entries (NLM_F_REQUEST | NLM_F_DUMP).
        try send(type, payload, flags: 0x301)
        for _ in 0..<Self.longestList {
            for message in try receive() where message.sequence == latest {
                if message.type == NetlinkMessage.done { return }
                if let number = message.errorNumber { throw Errno(rawValue: number) }
                guard body(message) else { return }
            }
        }
    }

    private mutating func send(_ type: UInt16, _ payload: [UInt8], flags: UInt16) throws(Errno) {
        latest += 1
        let bytes = NetlinkMessage(type: type, flags: flags, sequence: latest, payload: payload).bytes
        let raw = descriptor.rawValue
        _ = try Platform.retrying { bytes.withUnsafeBytes { Glibc.send(raw, $0.baseAddress, $0.count, 0) } }
    }

    private func receive() throws(Errno) -> [NetlinkMessage] {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        guard try Platform.retrying({ poll(&entry, 1, Self.patience) }) > 0 else { throw .timedOut }
        return NetlinkMessage.messages(in: try read())
    }

    private func read() throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.bufferLength)
        let raw = descriptor.rawValue
        let count = try Platform.retrying {
            bytes.withUnsafeMutableBytes { recv(raw, $0.baseAddress, $0.count, 0) }
        }
        return Array(bytes.prefix(count))
    }

    /// Reads and discards all pending messages.
    ///
    /// - Returns: whether there were any, including messages that were lost because the buffer overflowed.
    static func drain(_ descriptor: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: bufferLength)
        var isAny = false
        while true {
            let count = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
            }
            if count > 0 {
                isAny = true
                continue
            }
            switch Platform.lastError {
            case .interrupted: continue
            case .noBufferSpace: isAny = true
            default: return isAny
            }
        }
    }
}
#endif
