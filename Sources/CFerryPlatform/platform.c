#if defined(__linux__)

#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64

#include "CFerryPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// The kernel's numbers, defined here so that older headers suffice.
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define FERRY_RESOLVE_NO_MAGICLINKS 0x02
#define FERRY_RESOLVE_NO_SYMLINKS 0x04
#define FERRY_RESOLVE_BENEATH 0x08
#define FERRY_RENAME_NOREPLACE 0x01
#define FERRY_FALLOC_FL_KEEP_SIZE 0x01

struct ferry_open_how {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};

int ferry_openat2_beneath(int directory, const char *path, int flags, mode_t mode) {
    struct ferry_open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)(unsigned int)flags;
    // openat2 refuses a mode unless a file can be created.
    how.mode = (flags & O_CREAT) ? (uint64_t)mode : 0;
    how.resolve = FERRY_RESOLVE_BENEATH | FERRY_RESOLVE_NO_SYMLINKS | FERRY_RESOLVE_NO_MAGICLINKS;
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

int ferry_rename_noreplace(int directory, const char *from, const char *to) {
#ifdef SYS_renameat2
    return (int)syscall(SYS_renameat2, directory, from, directory, to, FERRY_RENAME_NOREPLACE);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int ferry_reserve(int descriptor, off_t length) {
    return fallocate(descriptor, FERRY_FALLOC_FL_KEEP_SIZE, 0, length);
}

int ferry_start_writing(int descriptor) {
#ifdef SYNC_FILE_RANGE_WRITE
    return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    errno = ENOSYS;
    return -1;
#endif
}

void ferry_bound_arenas(int count) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}

int ferry_status_of(int directory, const char *path, int flags, struct ferry_status *status) {
    memset(status, 0, sizeof *status);
#ifdef STATX_BTIME
    struct statx found;
    // fstatat mounts nothing, and so must this.
    if (statx(directory, path, flags | AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_BTIME, &found) == 0) {
        status->device = makedev(found.stx_dev_major, found.stx_dev_minor);
        status->inode = found.stx_ino;
        status->links = found.stx_nlink;
        status->mode = found.stx_mode;
        status->owner = found.stx_uid;
        status->size = (int64_t)found.stx_size;
        status->blocks = (int64_t)found.stx_blocks;
        status->modified_seconds = found.stx_mtime.tv_sec;
        status->modified_nanoseconds = found.stx_mtime.tv_nsec;
        if (found.stx_mask & STATX_BTIME) {
            status->birth_seconds = found.stx_btime.tv_sec;
            status->birth_nanoseconds = found.stx_btime.tv_nsec;
        }
        return 0;
    }
    // Kernels before 4.11 lack the call, and container filters of that time refuse it.
    if (errno != ENOSYS && errno != EPERM) return -1;
#endif
    struct stat plain;
    if (fstatat(directory, path, &plain, flags) != 0) return -1;
    status->device = plain.st_dev;
    status->inode = plain.st_ino;
    status->links = plain.st_nlink;
    status->mode = plain.st_mode;
    status->owner = plain.st_uid;
    status->size = plain.st_size;
    status->blocks = plain.st_blocks;
    status->modified_seconds = plain.st_mtim.tv_sec;
    status->modified_nanoseconds = (uint32_t)plain.st_mtim.tv_nsec;
    return 0;
}

int ferry_route_socket(unsigned int groups) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

int ferry_at_empty_path(void) {
    return AT_EMPTY_PATH;
}

int ferry_o_path(void) {
    return O_PATH;
}

#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

static int ferry_byte(int descriptor, off_t place, int command, struct flock *lock) {
    lock->l_whence = SEEK_SET;
    lock->l_start = place;
    lock->l_len = 1;
    lock->l_pid = 0;
    return fcntl(descriptor, command, lock);
}

int ferry_lock_byte(int descriptor, off_t place) {
    struct flock lock = {.l_type = F_WRLCK};
    return ferry_byte(descriptor, place, F_OFD_SETLK, &lock);
}

int ferry_unlock_byte(int descriptor, off_t place) {
    struct flock lock = {.l_type = F_UNLCK};
    return ferry_byte(descriptor, place, F_OFD_SETLK, &lock);
}

int ferry_is_byte_locked(int descriptor, off_t place) {
    struct flock lock = {.l_type = F_WRLCK};
    if (ferry_byte(descriptor, place, F_OFD_GETLK, &lock) != 0) return -1;
    return lock.l_type != F_UNLCK;
}

int ferry_keeps_times(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return 0;
    switch ((unsigned long)status.f_type & 0xffffffffUL) {
    case 0xef53:     // ext2, ext3, ext4
    case 0x58465342: // XFS
    case 0x9123683e: // Btrfs
    case 0xf2f52010: // F2FS
    case 0xca451a4e: // bcachefs
    case 0x2fc12fc1: // ZFS
    case 0x01021994: // tmpfs
    case 0x794c7630: // overlayfs
        return 1;
    default:
        return 0;
    }
}

int ferry_o_tmpfile(void) {
    return O_TMPFILE;
}

#else

// An empty translation unit is not valid C.
typedef int ferry_platform_is_empty;

#endif
