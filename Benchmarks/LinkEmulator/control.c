#include "control.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_settings(const char *line, struct link_settings *settings) {
  struct link_settings read;
  double megabits;
  if (sscanf(line, "%*s %lf %lf %lf %lf %lf", &megabits, &read.queue_bytes,
             &read.delay_milliseconds, &read.jitter_milliseconds, &read.loss) != 5) {
    return 0;
  }
  if (!(megabits > 0 && read.delay_milliseconds >= 0)) return 0;
  read.bits_per_second = megabits * 1e6;
  *settings = read;
  return 1;
}

static int begin(const char *line, struct relay *relay) {
  unsigned long long seed, bytes;
  double milliseconds;
  if (sscanf(line, "%*s %llu %llu %lf", &seed, &bytes, &milliseconds) != 3) return 0;
  relay_begin(relay, seed, bytes, milliseconds);
  return 1;
}

static void report(const struct relay *relay, char *answer, size_t size) {
  const struct link_counts *down = &relay->link.directions[LINK_DOWN].counts;
  const struct link_counts *up = &relay->link.directions[LINK_UP].counts;
  const uint64_t data = relay->delivered_after_silence;
  const double seconds = data ? (double)(data - relay->link.silent_until) / 1e9 : -1;
  snprintf(answer, size, "%u %llu %llu %llu %llu %llu %.3f\n", relay->connection_count,
           (unsigned long long)down->bytes, (unsigned long long)up->bytes,
           (unsigned long long)(down->overflowed + up->overflowed),
           (unsigned long long)(down->lost + up->lost),
           (unsigned long long)(down->silent + up->silent), seconds);
}

static void carry_out(const char *line, struct control *control, struct relay *relay) {
  char answer[256] = "this is no command\n";
  char word[8] = "";
  sscanf(line, "%7s", word);
  struct link_direction *directions = relay->link.directions;
  if (!strcmp(word, "report")) {
    report(relay, answer, sizeof answer);
  } else if ((!strcmp(word, "down") && read_settings(line, &directions[LINK_DOWN].settings)) ||
             (!strcmp(word, "up") && read_settings(line, &directions[LINK_UP].settings)) ||
             (!strcmp(word, "begin") && begin(line, relay))) {
    strcpy(answer, "ok\n");
  }
  if (write(control->answers, answer, strlen(answer)) < 0) control->answers = -1;
}

int control_read(struct control *control, struct relay *relay) {
  const size_t room = sizeof control->line - 1 - control->length;
  const ssize_t count = read(control->commands, control->line + control->length, room);
  if (count <= 0) return 0;
  control->length += (size_t)count;
  control->line[control->length] = 0;
  for (char *end; (end = strchr(control->line, '\n'));) {
    *end = 0;
    carry_out(control->line, control, relay);
    control->length -= (size_t)(end + 1 - control->line);
    memmove(control->line, end + 1, control->length + 1);
  }
  // A line that does not fit is no command.
  return control->length < sizeof control->line - 1;
}
