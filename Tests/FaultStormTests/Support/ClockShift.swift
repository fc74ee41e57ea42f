import Foundation

/// Moves the wall clock of one program, not that of the machine: a library that is loaded before
/// libc (ld.so(8), LD_PRELOAD) adds a number of seconds that it reads from a file.
final class ClockShift: Sendable {
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <fcntl.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    static long shift(void) {
      char text[32] = {0};
      int file = open(getenv("KETTLE_CLOCK_SHIFT"), O_RDONLY | O_CLOEXEC);
      if (file < 0) return 0;
      ssize_t count = read(file, text, sizeof text - 1);
      close(file);
      return count > 0 ? atol(text) : 0;
    }
    int clock_gettime(clockid_t id, struct timespec *now) {
      static int (*real)(clockid_t, struct timespec *);
      if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
      int result = real(id, now);
      if (result == 0 && id == CLOCK_REALTIME) now->tv_sec += shift();
      return result;
    }
    int gettimeofday(struct timeval *restrict now, void *restrict zone) {
      struct timespec exact;
      int result = clock_gettime(CLOCK_REALTIME, &exact);
      now->tv_sec = exact.tv_sec;
      now->tv_usec = exact.tv_nsec / 1000;
      return result;
    }
    time_t time(time_t *place) {
      struct timespec exact;
      clock_gettime(CLOCK_REALTIME, &exact);
      if (place) *place = exact.tv_sec;
      return exact.tv_sec;
    }
    """

  private let directory: String
  private var file: String { directory + "/shift" }

  /// nil if there is no C compiler.
  init?() {
    guard let made = try? StormHome.makeDirectory() else { return nil }
    directory = made
    let code = made + "/shift.c"
    guard (try? Self.source.write(toFile: code, atomically: true, encoding: .utf8)) != nil,
      ["cc", "clang"].contains(where: {
        LoopImage.run($0, "-shared", "-fPIC", "-o", made + "/shift.so", code, "-ldl")
      })
    else {
      close()
      return nil
    }
  }

  func close() { try? FileManager.default.removeItem(atPath: directory) }

  /// The environment of a program whose clock is to be moved.
  var environment: [String: String] {
    ["LD_PRELOAD": directory + "/shift.so", "KETTLE_CLOCK_SHIFT": file]
  }

  func jump(toSeconds seconds: Int) throws {
    try "\(seconds)".write(toFile: file, atomically: true, encoding: .utf8)
  }
}
