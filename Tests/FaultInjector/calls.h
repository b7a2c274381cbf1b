// The system calls on files, and which of their arguments names the file.

#pragma once

#include <stddef.h>
#include <sys/syscall.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

enum kind {
    // Changes bytes, names, permissions or locks. A crash can break the order of these changes.
    CHANGES,
    // Changes something only if its flags say so. The flags are the argument after the path.
    OPENS,
    // The same, but the argument after the path is a pointer to the flags.
    OPENS_AS,
    // Changes nothing.
    LOOKS,
};

struct call {
    const char *name;
    long number;
    // The argument that is a descriptor, of the file itself or of the directory that a path starts from; or -1.
    int descriptor;
    // The argument that is a path; or -1.
    int path;
    enum kind kind;
};

#define CALL(name, descriptor, path, kind) {#name, SYS_##name, descriptor, path, kind}

static const struct call calls[] = {
    CALL(open, -1, 0, OPENS),
    CALL(openat, 0, 1, OPENS),
    CALL(openat2, 0, 1, OPENS_AS),
    CALL(creat, -1, 0, CHANGES),
    CALL(write, 0, -1, CHANGES),
    CALL(writev, 0, -1, CHANGES),
    CALL(pwrite64, 0, -1, CHANGES),
    CALL(pwritev, 0, -1, CHANGES),
    CALL(pwritev2, 0, -1, CHANGES),
    CALL(copy_file_range, 2, -1, CHANGES),
    CALL(splice, 2, -1, CHANGES),
    CALL(sendfile, 0, -1, CHANGES),
    CALL(fallocate, 0, -1, CHANGES),
    CALL(truncate, -1, 0, CHANGES),
    CALL(ftruncate, 0, -1, CHANGES),
    CALL(fsync, 0, -1, CHANGES),
    CALL(fdatasync, 0, -1, CHANGES),
    CALL(sync_file_range, 0, -1, CHANGES),
    CALL(syncfs, 0, -1, CHANGES),
    CALL(rename, -1, 0, CHANGES),
    CALL(renameat, 0, 1, CHANGES),
    CALL(renameat2, 0, 1, CHANGES),
    CALL(link, -1, 0, CHANGES),
    CALL(linkat, 0, 1, CHANGES),
    CALL(symlink, -1, 1, CHANGES),
    CALL(symlinkat, 1, 2, CHANGES),
    CALL(unlink, -1, 0, CHANGES),
    CALL(unlinkat, 0, 1, CHANGES),
    CALL(mkdir, -1, 0, CHANGES),
    CALL(mkdirat, 0, 1, CHANGES),
    CALL(rmdir, -1, 0, CHANGES),
    CALL(chmod, -1, 0, CHANGES),
    CALL(fchmod, 0, -1, CHANGES),
    CALL(fchmodat, 0, 1, CHANGES),
    CALL(chown, -1, 0, CHANGES),
    CALL(fchown, 0, -1, CHANGES),
    CALL(fchownat, 0, 1, CHANGES),
    CALL(utimensat, 0, 1, CHANGES),
    CALL(flock, 0, -1, CHANGES),

    CALL(read, 0, -1, LOOKS),
    CALL(pread64, 0, -1, LOOKS),
    CALL(readv, 0, -1, LOOKS),
    CALL(preadv, 0, -1, LOOKS),
    CALL(getdents64, 0, -1, LOOKS),
    CALL(lseek, 0, -1, LOOKS),
    // Without fcntl: if an unlock fails, the lock is held until the process ends, and other processes wait for it.
    CALL(mmap, 4, -1, LOOKS),
    CALL(stat, -1, 0, LOOKS),
    CALL(lstat, -1, 0, LOOKS),
    CALL(fstat, 0, -1, LOOKS),
    CALL(newfstatat, 0, 1, LOOKS),
    CALL(statx, 0, 1, LOOKS),
    CALL(access, -1, 0, LOOKS),
    CALL(faccessat, 0, 1, LOOKS),
    CALL(faccessat2, 0, 1, LOOKS),
    CALL(readlink, -1, 0, LOOKS),
    CALL(readlinkat, 0, 1, LOOKS),
    CALL(statfs, -1, 0, LOOKS),
    CALL(fstatfs, 0, -1, LOOKS),
};

static const size_t call_count = sizeof calls / sizeof *calls;
