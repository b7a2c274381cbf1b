#pragma once

#include "ferry_crc.h"
#include "ferry_inflate.h"

#include <stdint.h>

// The address in a `struct sockaddr`, in network byte order: writes 4 or 16 bytes and returns their number. 0 for another
// family of addresses.
int ferry_address(const void *name, uint8_t bytes[16]);

// 1 if the kernel has a route to the address of 4 or 16 bytes. It sends nothing to find out.
int ferry_has_route(const uint8_t *bytes, int count);

// Linux calls and macros that Swift's Glibc and Musl modules lack: newer system calls, and macros that do not import.
// Other systems have none of them. Every function returns the result of its call, with the error in errno.

#if defined(__linux__)

#include <stdint.h>
#include <sys/types.h>

// openat2(2): opens `path` beneath `directory`, following no symbolic link anywhere in it.
// ENOSYS before Linux 5.6; EPERM under old seccomp filters.
int ferry_openat2_beneath(int directory, const char *path, int flags, mode_t mode);

// renameat2(2) with RENAME_NOREPLACE, within one directory.
int ferry_rename_noreplace(int directory, const char *from, const char *to);

// fallocate(2) with FALLOC_FL_KEEP_SIZE, from offset 0.
int ferry_reserve(int descriptor, off_t length);

// sync_file_range(2) with SYNC_FILE_RANGE_WRITE, for the whole file: starts writing dirty pages without waiting.
// ENOSYS where the call does not exist.
int ferry_start_writing(int descriptor);

// The status of a file: sizes in bytes, and blocks of 512 bytes. Its birth is 0 if that is unknown.
struct ferry_status {
    uint64_t device;
    uint64_t inode;
    uint64_t links;
    uint32_t mode;
    uint32_t owner;
    int64_t size;
    int64_t blocks;
    int64_t modified_seconds;
    int64_t birth_seconds;
    uint32_t modified_nanoseconds;
    uint32_t birth_nanoseconds;
};

// statx(2), or fstatat(2) where that does not exist. Flags as for fstatat.
int ferry_status_of(int directory, const char *path, int flags, struct ferry_status *status);

// mallopt(3) with M_ARENA_MAX: uses at most `count` memory arenas. Does nothing unless the C library is glibc.
void ferry_bound_arenas(int count);

// AT_EMPTY_PATH, which needs _GNU_SOURCE.
int ferry_at_empty_path(void);

// O_PATH, which needs _GNU_SOURCE.
int ferry_o_path(void);

// A non-blocking NETLINK_ROUTE socket that listens to `groups` (RTMGRP_*), 0 for none.
int ferry_route_socket(unsigned int groups);

// fcntl(2) with F_OFD_SETLK: locks one byte of a file for this opening, without waiting. The kernel drops the lock when
// the last copy of the descriptor is closed. EAGAIN or EACCES when another opening holds it.
int ferry_lock_byte(int descriptor, off_t place);

// Unlocks that byte.
int ferry_unlock_byte(int descriptor, off_t place);

// fcntl(2) with F_OFD_GETLK: 1 when another opening of the file has locked that byte, 0 when none has.
int ferry_is_byte_locked(int descriptor, off_t place);

// 1 if the file system of an open file stores change times exactly: a local one that is known to do so.
int ferry_keeps_times(int descriptor);

// O_TMPFILE: a file in a directory without a name.
int ferry_o_tmpfile(void);

#endif
