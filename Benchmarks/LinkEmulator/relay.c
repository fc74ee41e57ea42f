#define _GNU_SOURCE
#include "relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FEW_PACKETS = 64, FIRST_CAPACITY = 1024 };

uint64_t relay_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static struct relay_packet *packet_at(struct relay_queue *queue, uint32_t index) {
  return &queue->packets[(queue->first + index) % queue->capacity];
}

// The place behind the last packet.
static struct relay_packet *free_place(struct relay_queue *queue) {
  if (queue->count == queue->capacity) {
    const uint32_t capacity = queue->capacity ? queue->capacity * 2 : FIRST_CAPACITY;
    struct relay_packet *packets = malloc(capacity * sizeof *packets);
    if (!packets) tunnel_fail("malloc");
    for (uint32_t index = 0; index < queue->count; index++) {
      packets[index] = *packet_at(queue, index);
    }
    free(queue->packets);
    *queue = (struct relay_queue){packets, capacity, 0, queue->count};
  }
  return packet_at(queue, queue->count);
}

// What the counters need of a segment. `is_tcp` is false for anything but TCP over IPv4.
struct segment {
  int is_tcp;
  uint16_t source_port;
  int opens_connection;
  uint32_t data_byte_count;
};

// RFC 791, section 3.1, and RFC 9293, section 3.1.
static struct segment segment_in(const struct relay_packet *packet) {
  const uint8_t *bytes = packet->bytes;
  const uint32_t count = packet->byte_count;
  struct segment segment = {0};
  if (count < 20 || bytes[0] >> 4 != 4 || bytes[9] != IPPROTO_TCP) return segment;
  const uint32_t ip_header = (bytes[0] & 15u) * 4;
  if (count < ip_header + 20) return segment;
  const uint8_t *tcp = bytes + ip_header;
  const uint32_t headers = ip_header + (uint32_t)(tcp[12] >> 4) * 4;
  const int synchronizes = tcp[13] & 2, acknowledges = tcp[13] & 16;
  segment.is_tcp = 1;
  segment.source_port = (uint16_t)(tcp[0] << 8 | tcp[1]);
  segment.opens_connection = synchronizes && !acknowledges;
  segment.data_byte_count = count > headers ? count - headers : 0;
  return segment;
}

static void count_connection(struct relay *relay, const struct relay_packet *packet) {
  const struct segment segment = segment_in(packet);
  if (!segment.is_tcp || !segment.opens_connection) return;
  if (relay->port_was_seen[segment.source_port]) return;
  relay->port_was_seen[segment.source_port] = 1;
  relay->connection_count++;
}

static void note_data_after_silence(struct relay *relay, const struct relay_packet *packet) {
  if (relay->link.silent_until == 0 || relay->delivered_after_silence != 0) return;
  if (packet->delivery < relay->link.silent_until) return;
  if (segment_in(packet).data_byte_count > 0) relay->delivered_after_silence = packet->delivery;
}

void relay_open(struct relay *relay, int server, int client) {
  memset(relay, 0, sizeof *relay);
  relay->from[LINK_DOWN] = relay->to[LINK_UP] = server;
  relay->from[LINK_UP] = relay->to[LINK_DOWN] = client;
}

void relay_begin(struct relay *relay, uint64_t seed, uint64_t silence_after_bytes,
                 double silence_milliseconds) {
  link_begin(&relay->link, seed, silence_after_bytes, silence_milliseconds);
  memset(relay->port_was_seen, 0, sizeof relay->port_was_seen);
  relay->connection_count = 0;
  relay->delivered_after_silence = 0;
}

void relay_take(struct relay *relay, enum link_side side) {
  struct relay_queue *queue = &relay->queues[side];
  for (int taken = 0; taken < FEW_PACKETS; taken++) {
    struct relay_packet *packet = free_place(queue);
    const ssize_t count = read(relay->from[side], packet->bytes, sizeof packet->bytes);
    if (count <= 0) return;
    packet->byte_count = (uint32_t)count;
    if (side == LINK_UP) count_connection(relay, packet);
    const size_t byte_count = (size_t)count;
    const enum link_fate fate =
        link_carry(&relay->link, side, relay_now(), byte_count, &packet->delivery);
    if (fate != LINK_DELIVERED) continue;
    if (side == LINK_DOWN) note_data_after_silence(relay, packet);
    queue->count++;
  }
}

static uint64_t due(const struct relay_queue *queue) {
  return queue->count > 0 ? queue->packets[queue->first].delivery : UINT64_MAX;
}

uint64_t relay_due(const struct relay *relay) {
  const uint64_t down = due(&relay->queues[LINK_DOWN]), up = due(&relay->queues[LINK_UP]);
  return down < up ? down : up;
}

static void deliver(struct relay *relay, enum link_side side) {
  struct relay_queue *queue = &relay->queues[side];
  for (int delivered = 0; delivered < FEW_PACKETS && due(queue) <= relay_now(); delivered++) {
    const struct relay_packet *packet = packet_at(queue, 0);
    // A device that takes no packet loses it, as a network may.
    ssize_t written;
    do {
      written = write(relay->to[side], packet->bytes, packet->byte_count);
    } while (written < 0 && errno == EINTR);
    queue->first = (queue->first + 1) % queue->capacity;
    queue->count--;
  }
}

void relay_deliver(struct relay *relay) {
  deliver(relay, LINK_DOWN);
  deliver(relay, LINK_UP);
}
