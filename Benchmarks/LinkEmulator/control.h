// What the command may ask of the emulator, a line each, answered with a line each:
//
//     down MBIT_PER_SECOND QUEUE_BYTES DELAY_MS JITTER_MS LOSS    how data reaches the client; "ok"
//     up   MBIT_PER_SECOND QUEUE_BYTES DELAY_MS JITTER_MS LOSS    how data reaches the server; "ok"
//     begin SEED SILENCE_AFTER_BYTES SILENCE_MS                   begins a run; "ok"
//     report                                                      what the run needed so far:
//         CONNECTIONS BYTES_DOWN BYTES_UP OVERFLOWED LOST SILENT SECONDS_TO_DATA_AFTER_SILENCE
//
// CONNECTIONS counts the ports from which the client sent a SYN. OVERFLOWED, LOST and SILENT count
// packets of both directions that were dropped. The seconds are -1 while there is no data after a
// silence.
#pragma once
#include "relay.h"

struct control {
  int commands, answers;
  char line[256];
  size_t length;
};

// Carries out the commands that have arrived. Returns 0 when no more can come.
int control_read(struct control *control, struct relay *relay);
