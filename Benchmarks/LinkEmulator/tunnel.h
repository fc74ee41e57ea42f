// The two ends of the link: a tun device in a network namespace of its own each.
#pragma once

enum { TUNNEL_MTU = 1500 };

struct tunnel {
  int packets;         // the device: each read(2) takes a packet, each write(2) gives one
  int name_space;      // the network namespace that it is in
};

// Moves this thread into a new network namespace, and makes a tun device there that leads from
// `address` to `peer` and everywhere else. TCP has the settings of a common distribution and learns
// nothing from one connection for the next. Ends the program with a sentence when that fails.
struct tunnel tunnel_open(const char *address, const char *peer);

// Ends the program with a sentence about errno.
_Noreturn void tunnel_fail(const char *what);
