import Glibc

/// Runs a program to its end and says what it cost: wall time, CPU time with that of the programs
/// it waited for, and peak memory (getrusage(2)).
///
///     measured-run RESULT PROGRAM [ARGUMENT...]
///
/// One line goes to the file RESULT: `wall_s cpu_s peak_kib`. The exit code is the program's; 127
/// when it could not be run, 128 and the number of the signal that ended it. A program that takes
/// longer than MEASURED_RUN_SECONDS, 300 without it, is killed.
@main
enum MeasuredRun {
  static func main() {
    let words = CommandLine.arguments
    guard words.count >= 3 else {
      complain("usage: measured-run RESULT PROGRAM [ARGUMENT...]")
      exit(2)
    }
    let startedAt = seconds()
    guard let process = spawn(Array(words.dropFirst(2))) else { exit(127) }
    interruptWaiting(after: getenv("MEASURED_RUN_SECONDS").flatMap { UInt32(String(cString: $0)) })
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else {
        complain("wait4: \(String(cString: strerror(errno)))")
        exit(127)
      }
      complain("\(words[2]) took too long")
      kill(process, SIGKILL)
    }
    let wall = seconds() - startedAt
    let cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    record("\(wall) \(cpu) \(usage.ru_maxrss)\n", in: words[1])
    let signal = status & 0x7F
    exit(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
  }

  /// The handler has nothing to do: that wait4(2) returns is all.
  private static func interruptWaiting(after seconds: UInt32?) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in }
    sigaction(SIGALRM, &action, nil)
    alarm(seconds ?? 300)
  }

  private static func spawn(_ words: [String]) -> pid_t? {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let result = posix_spawnp(&process, words[0], nil, nil, arguments, environ)
    guard result == 0 else {
      complain("\(words[0]): \(String(cString: strerror(result)))")
      return nil
    }
    return process
  }

  private static func record(_ line: String, in path: String) {
    guard let file = fopen(path, "w") else {
      complain("\(path): \(String(cString: strerror(errno)))")
      exit(127)
    }
    fputs(line, file)
    fclose(file)
  }

  private static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  private static func complain(_ sentence: String) {
    let line = Array("measured-run: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
  }
}
