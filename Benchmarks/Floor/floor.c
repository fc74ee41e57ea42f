// The least that libcurl can do for the same work: it receives bytes from connections and writes
// them into a file, so that at most 8 MiB have to be fetched again after a power cut.
//
//     kettle-floor URL FILE BYTES [CONNECTIONS]
//
// The buffers are those of the service: 1 MiB to receive for the first connection and 512 KiB for
// the others, and blocks of 2 MiB in huge pages (smaller ones for further connections), written
// past the page cache where the file system allows it. Every 6 MiB, as often as the service has to,
// the written bytes are synced; then the progress of each connection overwrites one page of
// FILE.record, which is synced too: the smallest possible record. It verifies nothing that a server
// could get wrong, notifies no client, stops at a failure, has one transfer and one thread, and the
// network waits for the disk. The service's additional cost is the price of these.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
  page_byte_count = 2 << 20,
  least_block_byte_count = 512 << 10,
  receive_byte_count = 512 << 10,
  synced_byte_count = 6 << 20,
  connection_count_max = 64,
};

struct part {
  CURL *easy;
  int file;
  off_t written_up_to;
  size_t gathered_byte_count;
  size_t block_byte_count;
  char *block;
};

static struct part parts[connection_count_max];
// The sum over all connections since the last sync.
static off_t unsynced_byte_count;
static int record;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "kettle-floor: %s: %s\n", what, why);
  exit(1);
}

static void checkpoint(int file) {
  static off_t page[512];
  if (fdatasync(file) < 0) fail("fdatasync", strerror(errno));
  for (int index = 0; index < connection_count_max; index++)
    page[index] = parts[index].written_up_to;
  if (pwrite(record, page, sizeof page, 0) != sizeof page || fdatasync(record) < 0)
    fail("record", strerror(errno));
  unsynced_byte_count = 0;
}

static void write_block(struct part *part) {
  size_t done = 0;
  while (done < part->gathered_byte_count) {
    ssize_t count = pwrite(part->file, part->block + done, part->gathered_byte_count - done,
                           part->written_up_to + (off_t)done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail("pwrite", strerror(errno));
    done += (size_t)count;
  }
  part->written_up_to += (off_t)done;
  part->gathered_byte_count = 0;
  unsynced_byte_count += (off_t)done;
  if (unsynced_byte_count >= synced_byte_count) checkpoint(part->file);
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct part *part = context;
  size_t left = size * count;
  while (left > 0) {
    size_t room = part->block_byte_count - part->gathered_byte_count;
    size_t some = left < room ? left : room;
    memcpy(part->block + part->gathered_byte_count, bytes, some);
    part->gathered_byte_count += some;
    bytes += some;
    left -= some;
    if (part->gathered_byte_count == part->block_byte_count) write_block(part);
  }
  return size * count;
}

static struct part begin(CURLM *multi, const char *url, int file, off_t lower, off_t upper,
                         struct part *place, int index) {
  struct part part = {.easy = curl_easy_init(), .file = file, .written_up_to = lower};
  part.block_byte_count = index < 2 ? page_byte_count >> index : least_block_byte_count;
  if (!part.easy || posix_memalign((void **)&part.block, page_byte_count, page_byte_count))
    fail("memory", "there is none");
  // Without huge pages this is ordinary memory.
  madvise(part.block, page_byte_count, MADV_HUGEPAGE);
  char range[64];
  snprintf(range, sizeof range, "%jd-%jd", (intmax_t)lower, (intmax_t)upper - 1);
  curl_easy_setopt(part.easy, CURLOPT_URL, url);
  curl_easy_setopt(part.easy, CURLOPT_RANGE, range);
  curl_easy_setopt(part.easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(part.easy, CURLOPT_BUFFERSIZE,
                   (long)receive_byte_count * (index == 0 ? 2 : 1));
  curl_easy_setopt(part.easy, CURLOPT_SSL_VERIFYPEER, 0L);
  curl_easy_setopt(part.easy, CURLOPT_SSL_VERIFYHOST, 0L);
  curl_easy_setopt(part.easy, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(part.easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(part.easy, CURLOPT_WRITEDATA, place);
  curl_multi_add_handle(multi, part.easy);
  return part;
}

static void run(CURLM *multi) {
  int running = 1;
  while (running > 0) {
    CURLMcode code = curl_multi_perform(multi, &running);
    if (code == CURLM_OK && running > 0) code = curl_multi_poll(multi, NULL, 0, 1000, NULL);
    if (code != CURLM_OK) fail("curl_multi", curl_multi_strerror(code));
  }
  int left;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
    if (message->msg == CURLMSG_DONE && message->data.result != CURLE_OK)
      fail("transfer", curl_easy_strerror(message->data.result));
  }
}

int main(int count, char **words) {
  if (count < 4 || count > 5) fail("usage", "kettle-floor URL FILE BYTES [CONNECTIONS]");
  const off_t byte_count = atoll(words[3]);
  const int connections = count == 5 ? atoi(words[4]) : 1;
  if (byte_count <= 0 || connections < 1 || connections > connection_count_max)
    fail("usage", "BYTES from 1, CONNECTIONS from 1 to 64");
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int buffered = open(words[2], flags, 0644);
  if (buffered < 0) fail(words[2], strerror(errno));
  int file = open(words[2], (flags & ~O_TRUNC) | O_DIRECT, 0644);
  if (file < 0) file = buffered;

  char record_path[4096];
  snprintf(record_path, sizeof record_path, "%s.record", words[2]);
  record = open(record_path, flags, 0600);
  if (record < 0) fail(record_path, strerror(errno));

  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  // Parts begin at block boundaries, so that every block but the last can bypass the page cache.
  const off_t blocks = (byte_count + page_byte_count - 1) / page_byte_count;
  off_t lower = 0;
  for (int index = 0; index < connections; index++) {
    off_t upper = blocks * (index + 1) / connections * page_byte_count;
    if (upper > byte_count || index == connections - 1) upper = byte_count;
    if (upper > lower)
      parts[index] = begin(multi, words[1], file, lower, upper, &parts[index], index);
    lower = upper;
  }
  run(multi);
  for (int index = 0; index < connections; index++) {
    parts[index].file = buffered;
    if (parts[index].gathered_byte_count > 0) write_block(&parts[index]);
  }
  checkpoint(buffered);
  unlink(record_path);
  return 0;
}
