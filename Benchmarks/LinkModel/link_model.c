#include "link_model.h"

static const double nanoseconds_per_millisecond = 1e6;
static const uint64_t jitter_interval = 10 * 1000 * 1000;

// The next number of the sequence splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
static uint64_t next_random(uint64_t *state) {
  uint64_t value = (*state += UINT64_C(0x9E3779B97F4A7C15));
  value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
  return value ^ (value >> 31);
}

// 0 to 1, without 1.
static double next_share(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

static uint64_t latest(uint64_t one, uint64_t other) { return one > other ? one : other; }

// A straight line from one random value to the next, so that neighbouring packets have nearly the
// same delay, as behind a queue elsewhere.
static double jitter(struct link_direction *direction, uint64_t now) {
  const double most = direction->settings.jitter_milliseconds;
  if (most <= 0) return 0;
  if (now - direction->jitter_at >= jitter_interval) {
    const bool follows = now - direction->jitter_at < 2 * jitter_interval;
    direction->jitter_at = follows ? direction->jitter_at + jitter_interval : now;
    direction->jitter_from = direction->jitter_to;
    direction->jitter_to = most * next_share(&direction->random);
  }
  const double share = (double)(now - direction->jitter_at) / (double)jitter_interval;
  return direction->jitter_from + (direction->jitter_to - direction->jitter_from) * share;
}

void link_begin(struct link_model *link, uint64_t seed, uint64_t silence_after_bytes,
                double silence_milliseconds) {
  uint64_t seeds = seed;
  for (int side = 0; side < LINK_SIDE_COUNT; side++) {
    struct link_direction *direction = &link->directions[side];
    direction->counts = (struct link_counts){0};
    direction->random = next_random(&seeds);
    direction->jitter_at = 0;
    direction->jitter_from = direction->jitter_to = 0;
  }
  link->silence_after_bytes = silence_after_bytes;
  link->silence_nanoseconds = (uint64_t)(silence_milliseconds * nanoseconds_per_millisecond);
  link->silent_until = 0;
}

bool link_is_silent(const struct link_model *link, uint64_t now) {
  return now < link->silent_until;
}

static void begin_silence_when_due(struct link_model *link, uint64_t now) {
  if (link->silence_nanoseconds == 0 || link->silent_until != 0) return;
  if (link->directions[LINK_DOWN].counts.bytes < link->silence_after_bytes) return;
  link->silent_until = now + link->silence_nanoseconds;
}

enum link_fate link_carry(struct link_model *link, enum link_side side, uint64_t now,
                          size_t byte_count, uint64_t *delivery) {
  struct link_direction *direction = &link->directions[side];
  const struct link_settings *settings = &direction->settings;
  direction->counts.packets++;
  direction->counts.bytes += byte_count;
  begin_silence_when_due(link, now);
  if (link_is_silent(link, now)) {
    direction->counts.silent++;
    return LINK_SILENT;
  }
  const double nanoseconds_per_byte = 8e9 / settings->bits_per_second;
  const uint64_t sent_from = latest(direction->idle_at, now);
  const double waiting_bytes = (double)(sent_from - now) / nanoseconds_per_byte;
  if (waiting_bytes + (double)byte_count > settings->queue_bytes) {
    direction->counts.overflowed++;
    return LINK_OVERFLOWED;
  }
  direction->idle_at = sent_from + (uint64_t)((double)byte_count * nanoseconds_per_byte);
  if (settings->loss > 0 && next_share(&direction->random) < settings->loss) {
    direction->counts.lost++;
    return LINK_LOST;
  }
  const double delay = settings->delay_milliseconds + jitter(direction, now);
  const uint64_t due = direction->idle_at + (uint64_t)(delay * nanoseconds_per_millisecond);
  direction->delivered_at = latest(direction->delivered_at, due);
  *delivery = direction->delivered_at;
  return LINK_DELIVERED;
}
