#pragma once

// Inflates, by zlib: the gzip, zlib and raw forms of DEFLATE (RFC 1950 to 1952). zlib.h itself stays out of the module, as
// others of the program have it in theirs.

#include <stddef.h>

typedef struct ferry_inflater ferry_inflater;

// Makes one; `window_bits` is that of inflateInit2: 31 for gzip, 15 for zlib, -15 for no frame. NULL without memory.
ferry_inflater *ferry_inflater_create(int window_bits);

void ferry_inflater_free(ferry_inflater *inflater);

// Inflates from `in` to `out` until one of them is used up, or the stream ends; stores how much of each was used. 0: there
// is more to come. 1: the end, and what the frame says of the bytes is right. -1: the bytes are damaged.
int ferry_inflater_step(ferry_inflater *inflater, const void *in, size_t in_count, void *out, size_t out_count,
                        size_t *in_used, size_t *out_used);

// Begins with another stream of the same form.
void ferry_inflater_reset(ferry_inflater *inflater);
