#include "ferry_crc.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define FERRY_CRC_NEON 1
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

#define FERRY_CRC_SLICES 16

struct ferry_crc {
    // tables[n][b]: the check of byte b followed by n zero bytes.
    uint64_t tables[FERRY_CRC_SLICES][256];
    // Factors that move 16 bytes over 64 and over 16 bytes: one for the first 8 bytes, one for the last 8.
    uint64_t over64[2];
    uint64_t over16[2];
};

// The factor for x^exponent. The product of two reflected numbers has one factor of x too many, hence the - 1.
static uint64_t factor(unsigned width, uint64_t polynomial, unsigned exponent) {
    uint64_t power = (uint64_t)1 << (width - 1);
    for (unsigned step = 0; step < exponent - 1; step++)
        power = power >> 1 ^ (power & 1 ? polynomial : 0);
    return power << (64 - width);
}

const ferry_crc *ferry_crc_create(unsigned width, uint64_t polynomial) {
    ferry_crc *crc = malloc(sizeof *crc);
    if (crc == NULL) return NULL;
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t state = byte;
        for (int bit = 0; bit < 8; bit++) state = state >> 1 ^ (state & 1 ? polynomial : 0);
        crc->tables[0][byte] = state;
    }
    for (unsigned slice = 1; slice < FERRY_CRC_SLICES; slice++)
        for (unsigned byte = 0; byte < 256; byte++) {
            uint64_t before = crc->tables[slice - 1][byte];
            crc->tables[slice][byte] = before >> 8 ^ crc->tables[0][before & 255];
        }
    crc->over64[0] = factor(width, polynomial, 64 * 8 + 64);
    crc->over64[1] = factor(width, polynomial, 64 * 8);
    crc->over16[0] = factor(width, polynomial, 16 * 8 + 64);
    crc->over16[1] = factor(width, polynomial, 16 * 8);
    return crc;
}

static inline uint64_t little_endian(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// Looks up a word in eight tables; its last byte uses the first table.
static inline uint64_t look_up(const uint64_t (*tables)[256], uint64_t word) {
    return tables[7][word & 255] ^ tables[6][word >> 8 & 255] ^ tables[5][word >> 16 & 255] ^
           tables[4][word >> 24 & 255] ^ tables[3][word >> 32 & 255] ^ tables[2][word >> 40 & 255] ^
           tables[1][word >> 48 & 255] ^ tables[0][word >> 56];
}

uint64_t ferry_crc_update_by_tables(const ferry_crc *crc, uint64_t state, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    for (; count >= 16; count -= 16, next += 16)
        state = look_up(crc->tables + 8, little_endian(next) ^ state) ^ look_up(crc->tables, little_endian(next + 8));
    for (; count > 0; count--, next++) state = state >> 8 ^ crc->tables[0][(state ^ *next) & 255];
    return state;
}

// Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009). Multiplies 64
// bytes so that the remainder stays the same and adds them to the next 64, until only 16 are left. Those go through the
// tables, so that the generator's width does not matter.

#if defined(__x86_64__)

#define FERRY_CRC_FOLDING __attribute__((target("pclmul,sse2")))
typedef __m128i lane;

static inline FERRY_CRC_FOLDING lane load(const void *bytes) {
    return _mm_loadu_si128(bytes);
}

static inline FERRY_CRC_FOLDING void store(void *bytes, lane value) {
    _mm_storeu_si128(bytes, value);
}

static inline FERRY_CRC_FOLDING lane add(lane one, lane other) {
    return _mm_xor_si128(one, other);
}

static inline FERRY_CRC_FOLDING lane fold(lane value, lane factors, lane next) {
    return add(add(_mm_clmulepi64_si128(value, factors, 0x00), _mm_clmulepi64_si128(value, factors, 0x11)), next);
}

bool ferry_crc_is_accelerated(void) {
    return __builtin_cpu_supports("pclmul");
}

#elif defined(FERRY_CRC_NEON)

#define FERRY_CRC_FOLDING __attribute__((target("aes")))
typedef uint64x2_t lane;

static inline FERRY_CRC_FOLDING lane load(const void *bytes) {
    return vreinterpretq_u64_u8(vld1q_u8(bytes));
}

static inline FERRY_CRC_FOLDING void store(void *bytes, lane value) {
    vst1q_u8(bytes, vreinterpretq_u8_u64(value));
}

static inline FERRY_CRC_FOLDING lane add(lane one, lane other) {
    return veorq_u64(one, other);
}

static inline FERRY_CRC_FOLDING lane multiply(uint64_t one, uint64_t other) {
    return vreinterpretq_u64_p128(vmull_p64((poly64_t)one, (poly64_t)other));
}

static inline FERRY_CRC_FOLDING lane fold(lane value, lane factors, lane next) {
    lane first = multiply(vgetq_lane_u64(value, 0), vgetq_lane_u64(factors, 0));
    lane last = multiply(vgetq_lane_u64(value, 1), vgetq_lane_u64(factors, 1));
    return add(add(first, last), next);
}

bool ferry_crc_is_accelerated(void) {
#if defined(__linux__)
    // HWCAP_PMULL, defined here so that older headers suffice.
    return (getauxval(AT_HWCAP) & 1 << 4) != 0;
#elif defined(__APPLE__)
    return true;
#else
    return false;
#endif
}

#else

bool ferry_crc_is_accelerated(void) {
    return false;
}

#endif

#if defined(FERRY_CRC_FOLDING)

// Takes at least 64 bytes.
static FERRY_CRC_FOLDING uint64_t update_by_folding(
    const ferry_crc *crc, uint64_t state, const uint8_t *next, size_t count
) {
    const lane over64 = load(crc->over64), over16 = load(crc->over16);
    const uint64_t beginning[2] = {state, 0};
    lane one = add(load(next), load(beginning)), two = load(next + 16);
    lane three = load(next + 32), four = load(next + 48);
    for (next += 64, count -= 64; count >= 64; next += 64, count -= 64) {
        one = fold(one, over64, load(next));
        two = fold(two, over64, load(next + 16));
        three = fold(three, over64, load(next + 32));
        four = fold(four, over64, load(next + 48));
    }
    lane rest = fold(fold(fold(one, over16, two), over16, three), over16, four);
    for (; count >= 16; next += 16, count -= 16) rest = fold(rest, over16, load(next));
    uint8_t last[16];
    store(last, rest);
    return ferry_crc_update_by_tables(crc, ferry_crc_update_by_tables(crc, 0, last, sizeof last), next, count);
}

uint64_t ferry_crc_update(const ferry_crc *crc, uint64_t state, const void *bytes, size_t count) {
    if (count >= 64 && ferry_crc_is_accelerated()) return update_by_folding(crc, state, bytes, count);
    return ferry_crc_update_by_tables(crc, state, bytes, count);
}

#else

uint64_t ferry_crc_update(const ferry_crc *crc, uint64_t state, const void *bytes, size_t count) {
    return ferry_crc_update_by_tables(crc, state, bytes, count);
}

#endif
