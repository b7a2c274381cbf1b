/// How large the buffers between the network and the disk are.
///
/// Three things pull in different directions. Large reads and writes cost less per byte: each passes through
/// the kernel's entry, the parser, a queue and a lock once. Small ones leave the bytes in the processor's cache
/// between the copy out of the socket and the copy into the page cache. And all of it is multiplied by the
/// number of connections, which together must stay within the memory that Ferry promises to need (I9).
struct BufferPlan: Sendable {
    /// How many bytes one read from a socket may return.
    var receiveBytes = 512 * 1024
    /// How often a connection is read before its event loop turns to the others.
    var readsInARow: UInt = 1
    /// How many bytes of one body may wait for the disk before its connection is read no further. Twice the
    /// size of a read at least, so that network and disk work at the same time.
    var waitingBytes = 1024 * 1024
    /// A part below this size is copied together with its neighbours rather than written alone, and so is any
    /// that fills less than a quarter of the buffer which it would keep alive.
    var smallPartBytes = 64 * 1024
}
