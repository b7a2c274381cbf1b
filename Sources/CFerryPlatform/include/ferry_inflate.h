#pragma once

// Inflates the gzip, zlib and raw forms of DEFLATE (RFC 1950 to 1952) with zlib. zlib.h itself is not in this module,
// because other modules of the program include it.

#include <stddef.h>

typedef struct ferry_inflater ferry_inflater;

// Creates one; `window_bits` as for inflateInit2: 31 for gzip, 15 for zlib, -15 for no frame. NULL without memory.
ferry_inflater *ferry_inflater_create(int window_bits);

void ferry_inflater_free(ferry_inflater *inflater);

// Inflates from `in` to `out` until one of them is used up or the stream ends; stores how much of each was used.
// Returns 0 if more follows, 1 at the end if the frame's checks match, -1 if the bytes are damaged.
int ferry_inflater_step(ferry_inflater *inflater, const void *in, size_t in_count, void *out, size_t out_count,
                        size_t *in_used, size_t *out_used);

// Starts another stream of the same form.
void ferry_inflater_reset(ferry_inflater *inflater);
