// A network link as a value: which packets it loses, and when it delivers the others. It does no
// I/O and has no clock; time is an argument, in nanoseconds. The same settings, seed and packets
// give the same result each time.
//
// Each direction is a bottleneck with a tail-drop queue, then random loss, then a delay. Packets
// leave a direction in the order in which they entered it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum link_side { LINK_DOWN, LINK_UP, LINK_SIDE_COUNT };

struct link_settings {
  double bits_per_second;
  double queue_bytes;        // how much may wait for the bottleneck
  double delay_milliseconds;
  double jitter_milliseconds;  // added to the delay: 0 to this, varying slowly
  double loss;               // the share of packets that disappear behind the bottleneck
};

enum link_fate { LINK_DELIVERED, LINK_OVERFLOWED, LINK_LOST, LINK_SILENT };

struct link_counts {
  uint64_t packets, bytes;  // that entered
  uint64_t overflowed, lost, silent;
};

struct link_direction {
  struct link_settings settings;
  struct link_counts counts;
  uint64_t random;
  uint64_t idle_at;       // when the bottleneck has sent everything that waits
  uint64_t delivered_at;  // the latest delivery so far
  uint64_t jitter_at;     // the start of the current interval of the jitter
  double jitter_from, jitter_to;
};

struct link_model {
  struct link_direction directions[LINK_SIDE_COUNT];
  uint64_t silence_after_bytes;  // the link falls silent after so many bytes downwards
  uint64_t silence_nanoseconds;  // 0: never
  uint64_t silent_until;         // 0 before the silence
};

// Begins a run: counts from zero and random numbers from the seed. Settings stay. Afterwards the
// link falls silent once, when so many bytes were carried downwards, unless silence_milliseconds is
// 0.
void link_begin(struct link_model *link, uint64_t seed, uint64_t silence_after_bytes,
                double silence_milliseconds);

// Whether the link carries nothing at this time.
bool link_is_silent(const struct link_model *link, uint64_t now);

// Takes a packet into one direction, and sets the time of its delivery when it is delivered.
enum link_fate link_carry(struct link_model *link, enum link_side side, uint64_t now,
                          size_t byte_count, uint64_t *delivery);
