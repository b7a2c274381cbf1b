#pragma once

// Cyclic redundancy checks at the speed of memory: carry-less multiplication where the processor has it, else tables.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a generator needs: tables and constants. It is only read once it is made, so threads may share it.
typedef struct ferry_crc ferry_crc;

// Makes it, for a reflected generator of `width` bits (8 to 64). It is never freed. NULL when there is no memory.
const ferry_crc *ferry_crc_create(unsigned width, uint64_t polynomial);

// The state after `count` bytes more. No bits are inverted at either end; that is left to the caller.
uint64_t ferry_crc_update(const ferry_crc *crc, uint64_t state, const void *bytes, size_t count);

// The same by tables alone, on every processor.
uint64_t ferry_crc_update_by_tables(const ferry_crc *crc, uint64_t state, const void *bytes, size_t count);

// Whether the first of the two has something faster than tables here.
bool ferry_crc_is_accelerated(void);
