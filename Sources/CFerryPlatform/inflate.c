#include "ferry_inflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

struct ferry_inflater {
    z_stream stream;
};

ferry_inflater *ferry_inflater_create(int window_bits) {
    ferry_inflater *inflater = calloc(1, sizeof *inflater);
    if (inflater == NULL) return NULL;
    if (inflateInit2(&inflater->stream, window_bits) == Z_OK) return inflater;
    free(inflater);
    return NULL;
}

void ferry_inflater_free(ferry_inflater *inflater) {
    if (inflater == NULL) return;
    inflateEnd(&inflater->stream);
    free(inflater);
}

int ferry_inflater_step(ferry_inflater *inflater, const void *in, size_t in_count, void *out, size_t out_count,
                        size_t *in_used, size_t *out_used) {
    z_stream *stream = &inflater->stream;
    uInt in_given = in_count > UINT_MAX ? UINT_MAX : (uInt)in_count;
    uInt out_given = out_count > UINT_MAX ? UINT_MAX : (uInt)out_count;
    stream->next_in = (Bytef *)in;
    stream->avail_in = in_given;
    stream->next_out = out;
    stream->avail_out = out_given;
    int result = inflate(stream, Z_NO_FLUSH);
    *in_used = in_given - stream->avail_in;
    *out_used = out_given - stream->avail_out;
    if (result == Z_STREAM_END) return 1;
    // Z_BUF_ERROR: no input or no output space; this is not damage.
    return result == Z_OK || result == Z_BUF_ERROR ? 0 : -1;
}

void ferry_inflater_reset(ferry_inflater *inflater) { inflateReset(&inflater->stream); }
