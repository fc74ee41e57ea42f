// Carries packets between the two ends as the model of the link says, and counts them.
#pragma once
#include <stdint.h>

#include "link_model.h"
#include "tunnel.h"

struct relay_packet {
  uint64_t delivery;
  uint32_t byte_count;
  uint8_t bytes[TUNNEL_MTU];
};

// Packets on their way, the first to be delivered first: a ring that grows.
struct relay_queue {
  struct relay_packet *packets;
  uint32_t capacity, first, count;
};

struct relay {
  struct link_model link;
  // By direction: where its packets come from and where they go.
  int from[LINK_SIDE_COUNT], to[LINK_SIDE_COUNT];
  struct relay_queue queues[LINK_SIDE_COUNT];
  uint8_t port_was_seen[1 << 16];  // ports from which the client opened connections
  uint32_t connection_count;
  uint64_t delivered_after_silence;  // the first data after the silence, 0 before it
};

void relay_open(struct relay *relay, int server, int client);

// Begins a run: counts from zero. The other arguments are those of `link_begin`.
void relay_begin(struct relay *relay, uint64_t seed, uint64_t silence_after_bytes,
                 double silence_milliseconds);

// Takes the packets that wait at the beginning of one direction, up to a bound that lets the other
// direction have its turn.
void relay_take(struct relay *relay, enum link_side side);

// When the next packet is due, UINT64_MAX when none is on its way.
uint64_t relay_due(const struct relay *relay);

// Delivers what is due, up to a bound.
void relay_deliver(struct relay *relay);

// CLOCK_MONOTONIC in nanoseconds.
uint64_t relay_now(void);
