#pragma once

// Cyclic redundancy checks at memory speed: by carry-less multiplication if the processor has it, otherwise by tables.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The tables and constants of a generator. Read-only after creation, so threads may share it.
typedef struct ferry_crc ferry_crc;

// Creates it for a reflected generator of `width` bits (8 to 64). It is never freed. NULL without memory.
const ferry_crc *ferry_crc_create(unsigned width, uint64_t polynomial);

// The state after `count` more bytes. The caller inverts the bits before the first call and after the last.
uint64_t ferry_crc_update(const ferry_crc *crc, uint64_t state, const void *bytes, size_t count);

// The same by tables only, on every processor.
uint64_t ferry_crc_update_by_tables(const ferry_crc *crc, uint64_t state, const void *bytes, size_t count);

// Whether `ferry_crc_update` is faster than tables on this processor.
bool ferry_crc_is_accelerated(void);
