#!/usr/bin/env python3
"""A file system in user space that lacks what its options name, over a directory of another one.

    oddfs.py MOUNTPOINT DIRECTORY [OPTION...]

    fold        names that differ in case or Unicode normalization are one name
    fat         as on FAT: fold; no links, no modes, times of two seconds, some characters refused
    nolink      no hard links
    notmpfile   no files without a name
    noexclusive no rename that does not replace
    noflock     flock fails
    nolock      flock and the locks of fcntl fail
    nobirth     is always so: FUSE tells no time of birth here

It speaks the kernel's protocol (include/uapi/linux/fuse.h, version 7.31) itself, so that it needs nothing but
Python, root and /dev/fuse. It serves one request at a time. Inode numbers are those of the directory below, but for
fat, where a file has a new one whenever the kernel has forgotten it.
"""
import ctypes
import errno
import os
import stat
import struct
import sys
import unicodedata

LOOKUP, FORGET, GETATTR, SETATTR, READLINK, SYMLINK = 1, 2, 3, 4, 5, 6
MKNOD, MKDIR, UNLINK, RMDIR, RENAME, LINK, OPEN, READ, WRITE, STATFS, RELEASE = 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
FSYNC, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, FSYNCDIR = 20, 25, 26, 27, 28, 29, 30
GETLK, SETLK, SETLKW, ACCESS, CREATE, INTERRUPT, DESTROY = 31, 32, 33, 34, 35, 36, 38
BATCH_FORGET, FALLOCATE, RENAME2, TMPFILE = 42, 43, 45, 51

BIG_WRITES, FLOCK_LOCKS, POSIX_LOCKS = 1 << 5, 1 << 10, 1 << 1
NOREPLACE = 1

libc = ctypes.CDLL(None, use_errno=True)


class Node:
    """A file below, held open by its path alone, so that neither a rename nor a removal loses it."""

    def __init__(self, fd, number, ino):
        self.fd, self.number, self.ino, self.lookups = fd, number, ino, 0

    @property
    def path(self):
        return f"/proc/self/fd/{self.fd}"


class OddFS:
    def __init__(self, below, options):
        self.has = options.__contains__
        self.folds = "fold" in options or "fat" in options
        root = Node(os.open(below, os.O_PATH | os.O_DIRECTORY), 1, 1)
        status = os.fstat(root.fd)
        self.nodes, self.numbers = {1: root}, {(status.st_dev, status.st_ino): 1}
        self.last = 1
        self.handles, self.last_handle = {}, 0

    # Names

    def key(self, name):
        text = unicodedata.normalize("NFC", os.fsdecode(name))
        return unicodedata.normalize("NFC", text.casefold())

    def real(self, node, name):
        """The name below that this one means."""
        if self.has("fat") and any(c in b'"*:<>?|\\' or c < 32 for c in name):
            raise OSError(errno.EINVAL, "name")
        if not self.folds:
            return name
        wanted = self.key(name)
        for other in os.listdir(os.fsencode(node.path)):
            if self.key(other) == wanted:
                return other
        return name

    # Attributes

    def attributes(self, status, ino):
        mtime, ctime, atime = status.st_mtime_ns, status.st_ctime_ns, status.st_atime_ns
        mode, links = status.st_mode, status.st_nlink
        if self.has("fat"):
            mtime -= mtime % 2_000_000_000
            atime, ctime = mtime, mtime
            mode = stat.S_IFMT(mode) | 0o755
        return struct.pack(
            "<QQQQQQIIIIIIIIII", ino, status.st_size, status.st_blocks, atime // 10**9, mtime // 10**9,
            ctime // 10**9, atime % 10**9, mtime % 10**9, ctime % 10**9, mode, links, status.st_uid,
            status.st_gid, status.st_rdev, 4096, 0)

    def node_of(self, parent, name):
        fd = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=parent.fd)
        status = os.fstat(fd)
        known = self.numbers.get((status.st_dev, status.st_ino))
        if known:
            os.close(fd)
            return self.nodes[known]
        self.last += 1
        node = Node(fd, self.last, self.last if self.has("fat") else status.st_ino)
        self.nodes[self.last] = node
        self.numbers[(status.st_dev, status.st_ino)] = self.last
        return node

    def entry(self, parent, name):
        node = self.node_of(parent, name)
        node.lookups += 1
        attributes = self.attributes(os.fstat(node.fd), node.ino)
        return struct.pack("<QQQQII", node.number, 0, 0, 0, 0, 0) + attributes

    def forget(self, number, count):
        node = self.nodes.get(number)
        if node is None or number == 1:
            return
        node.lookups -= count
        if node.lookups <= 0:
            status = os.fstat(node.fd)
            self.numbers.pop((status.st_dev, status.st_ino), None)
            os.close(node.fd)
            del self.nodes[number]

    def handle(self, fd):
        self.last_handle += 1
        self.handles[self.last_handle] = fd
        return self.last_handle

    # Requests

    def serve(self, opcode, number, body):
        if opcode == INIT:
            flags = BIG_WRITES
            if self.has("noflock") or self.has("nolock"):
                flags |= FLOCK_LOCKS
            if self.has("nolock"):
                flags |= POSIX_LOCKS
            _, _, readahead, offered = struct.unpack_from("<IIII", body)
            return struct.pack("<IIIIHHIIHHI", 7, 31, readahead, flags & offered, 12, 9, 131072, 1, 0, 0, 0) + bytes(28)
        node = self.nodes[number]
        if opcode == LOOKUP:
            return self.entry(node, self.real(node, body[:-1]))
        if opcode == GETATTR:
            return struct.pack("<QII", 0, 0, 0) + self.attributes(os.fstat(node.fd), node.ino)
        if opcode == SETATTR:
            return self.set_attributes(node, body)
        if opcode == MKDIR:
            mode, umask = struct.unpack_from("<II", body)
            os.mkdir(self.free(node, body[8:-1]), mode & ~umask, dir_fd=node.fd)
            return self.entry(node, body[8:-1])
        if opcode == MKNOD:
            mode, device, umask, _ = struct.unpack_from("<IIII", body)
            os.mknod(self.free(node, body[16:-1]), mode & ~umask, device, dir_fd=node.fd)
            return self.entry(node, body[16:-1])
        if opcode == UNLINK:
            os.unlink(self.real(node, body[:-1]), dir_fd=node.fd)
            return b""
        if opcode == RMDIR:
            os.rmdir(self.real(node, body[:-1]), dir_fd=node.fd)
            return b""
        if opcode in (RENAME, RENAME2):
            return self.rename(opcode, node, body)
        if opcode == LINK:
            if self.has("nolink") or self.has("fat"):
                raise OSError(errno.EPERM, "link")
            old = self.nodes[struct.unpack_from("<Q", body)[0]]
            name = self.free(node, body[8:-1])
            os.link(old.path, name, dst_dir_fd=node.fd, follow_symlinks=True)
            return self.entry(node, name)
        if opcode == READLINK:
            return os.readlink(b"", dir_fd=node.fd)
        if opcode == SYMLINK:
            if self.has("fat"):
                raise OSError(errno.EPERM, "symlink")
            name, target = body[:-1].split(b"\0")
            os.symlink(target, self.free(node, name), dir_fd=node.fd)
            return self.entry(node, name)
        if opcode in (OPEN, OPENDIR):
            flags = struct.unpack_from("<I", body)[0] & ~(os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW)
            fd = os.open(node.path, flags)
            return struct.pack("<QIi", self.handle(fd), 0, 0)
        if opcode == CREATE:
            flags, mode, umask, _ = struct.unpack_from("<IIII", body)
            name = self.real(node, body[16:-1])
            fd = os.open(name, flags & ~os.O_NOFOLLOW | os.O_CREAT, mode & ~umask, dir_fd=node.fd)
            return self.entry(node, name) + struct.pack("<QIi", self.handle(fd), 0, 0)
        if opcode == READ:
            handle, offset, size = struct.unpack_from("<QQI", body)
            return os.pread(self.handles[handle], size, offset)
        if opcode == WRITE:
            handle, offset, size = struct.unpack_from("<QQI", body)
            return struct.pack("<II", os.pwrite(self.handles[handle], body[40:40 + size], offset), 0)
        if opcode == READDIR:
            return self.read_directory(node, body)
        if opcode in (RELEASE, RELEASEDIR):
            os.close(self.handles.pop(struct.unpack_from("<Q", body)[0]))
            return b""
        if opcode in (FSYNC, FSYNCDIR):
            handle, flags = struct.unpack_from("<QI", body)
            (os.fdatasync if flags & 1 and opcode == FSYNC else os.fsync)(self.handles[handle])
            return b""
        if opcode == STATFS:
            found = os.statvfs(node.path)
            return struct.pack(
                "<QQQQQIIII", found.f_blocks, found.f_bfree, found.f_bavail, found.f_files, found.f_ffree,
                found.f_bsize, 255, found.f_frsize, 0) + bytes(24)
        if opcode in (FLUSH, DESTROY):
            return b""
        # O_TMPFILE, locks, preallocation, extended attributes and all other features are missing.
        raise OSError(errno.ENOSYS, "operation")

    def free(self, node, name):
        """The name, which nothing may have yet."""
        found = self.real(node, name)
        try:
            os.stat(found, dir_fd=node.fd, follow_symlinks=False)
        except FileNotFoundError:
            return name
        raise OSError(errno.EEXIST, "name")

    def rename(self, opcode, node, body):
        flags, rest = 0, body[8:-1]
        if opcode == RENAME2:
            flags, rest = struct.unpack_from("<I", body, 8)[0], body[16:-1]
        if flags and (self.has("noexclusive") or flags != NOREPLACE):
            raise OSError(errno.EINVAL, "flags")
        target = self.nodes[struct.unpack_from("<Q", body)[0]]
        old, new = rest.split(b"\0")
        old = self.real(node, old)
        present = self.real(target, new)
        same = target is node and present == old
        if present != new or flags:
            try:
                os.stat(present, dir_fd=target.fd, follow_symlinks=False)
                exists = not same
            except FileNotFoundError:
                exists = False
            if exists and flags:
                raise OSError(errno.EEXIST, "name")
            if exists:
                # A replaced file keeps the spelling of its name, as on real file systems of this kind.
                new = present
        os.rename(old, new, src_dir_fd=node.fd, dst_dir_fd=target.fd)
        return b""

    def set_attributes(self, node, body):
        valid, _, handle, size, _, atime, mtime, _, atimens, mtimens, _, mode, _, uid, gid, _ = struct.unpack_from(
            "<IIQQQQQQIIIIIIII", body)
        if valid & 1 and not self.has("fat"):
            os.chmod(node.path, stat.S_IMODE(mode))
        if valid & 1 and self.has("fat") and not mode & 0o200:
            raise OSError(errno.EPERM, "mode")
        if valid & 6:
            if self.has("fat"):
                raise OSError(errno.EPERM, "owner")
            os.chown(node.path, uid if valid & 2 else -1, gid if valid & 4 else -1)
        if valid & 8:
            os.truncate(self.handles[handle] if valid & 64 else node.path, size)
        if valid & (16 | 32 | 128 | 256):
            now = os.fstat(node.fd)
            a = now.st_atime_ns if not valid & 16 else atime * 10**9 + atimens
            m = now.st_mtime_ns if not valid & 32 else mtime * 10**9 + mtimens
            if valid & (128 | 256):
                os.utime(node.path)
            else:
                os.utime(node.path, ns=(a, m))
        return struct.pack("<QII", 0, 0, 0) + self.attributes(os.fstat(node.fd), node.ino)

    def read_directory(self, node, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        found = b""
        names = [b".", b".."] + sorted(os.listdir(os.fsencode(node.path)))
        for place, name in enumerate(names[offset:], offset + 1):
            record = struct.pack("<QQII", place, place, len(name), 0) + name
            record += bytes(-len(record) % 8)
            if len(found) + len(record) > size:
                break
            found += record
        return found


def main():
    mountpoint, below, options = sys.argv[1], sys.argv[2], set(sys.argv[3:])
    device = os.open("/dev/fuse", os.O_RDWR)
    data = f"fd={device},rootmode=40000,user_id=0,group_id=0,default_permissions,allow_other".encode()
    if libc.mount(b"oddfs", os.fsencode(mountpoint), b"fuse", 6, data):
        raise OSError(ctypes.get_errno(), "mount")
    os.umask(0)
    fs = OddFS(below, options)
    while True:
        try:
            request = os.read(device, 1 << 20)
        except InterruptedError:
            continue
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN):
                continue
            if error.errno == errno.ENODEV:
                return
            raise
        _, opcode, unique, number = struct.unpack_from("<IIQQ", request)
        body = request[40:]
        if opcode == FORGET:
            fs.forget(number, struct.unpack_from("<Q", body)[0])
            continue
        if opcode == BATCH_FORGET:
            for index in range(struct.unpack_from("<I", body)[0]):
                fs.forget(*struct.unpack_from("<QQ", body, 8 + 16 * index))
            continue
        if opcode == INTERRUPT:
            continue
        try:
            answer, code = fs.serve(opcode, number, body), 0
        except OSError as error:
            answer, code = b"", -(error.errno or errno.EIO)
        try:
            os.write(device, struct.pack("<IiQ", 16 + len(answer), code, unique) + answer)
        except OSError as error:
            if error.errno == errno.ENODEV:
                return
            if error.errno != errno.ENOENT:
                raise


if __name__ == "__main__":
    main()
