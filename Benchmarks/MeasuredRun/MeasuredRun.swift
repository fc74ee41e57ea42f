import Glibc
import KettleSystem

/// Runs a program to its end and reports its cost: wall time, CPU time including that of the child
/// processes it waited for, and peak memory (getrusage(2)).
///
///     measured-run [--with PROCESS] RESULT PROGRAM [ARGUMENT...]
///
/// Writes one line to the file RESULT: `wall_s cpu_s peak_kib`. `--with` adds the CPU time that a
/// running process uses meanwhile, to the nanosecond: proc_pid_stat(5) counts in hundredths of a
/// second, which are several percent of a short download. The exit code is the program's; 127 when
/// it could not be run, and 128 plus the signal number when a signal ended it. A program that takes
/// longer than MEASURED_RUN_SECONDS (default 300) is killed.
@main
enum MeasuredRun {
  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    var service: clockid_t?
    if words.count >= 2, words[0] == "--with" {
      service = clock(ofProcess: words[1])
      words.removeFirst(2)
    }
    guard words.count >= 2 else {
      complain("usage: measured-run [--with PROCESS] RESULT PROGRAM [ARGUMENT...]")
      exit(2)
    }
    let result = words.removeFirst()
    let serviceBefore = service.map(seconds)
    let startedAt = seconds(CLOCK_MONOTONIC)
    guard let process = spawn(words) else { exit(127) }
    interruptWaiting(after: getenv("MEASURED_RUN_SECONDS").flatMap { UInt32(String(cString: $0)) })
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0 {
      guard errno == EINTR else {
        complain("wait4: \(SystemError(errno).message)")
        exit(127)
      }
      complain("\(words[0]) took too long")
      kill(process, SIGKILL)
    }
    let wall = seconds(CLOCK_MONOTONIC) - startedAt
    var cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    if let service, let serviceBefore { cpu += seconds(service) - serviceBefore }
    record("\(wall) \(cpu) \(usage.ru_maxrss)\n", in: result)
    let signal = status & 0x7F
    exit(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
  }

  /// The handler does nothing: making wait4(2) return is enough.
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
      complain("\(words[0]): \(SystemError(result).message)")
      return nil
    }
    return process
  }

  private static func record(_ line: String, in path: String) {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: open(path, flags, 0o666)) else {
      complain("\(path): \(SystemError(errno).message)")
      exit(127)
    }
    let bytes = Array(line.utf8)
    _ = write(file.number, bytes, bytes.count)
  }

  /// The CPU clock of the process, all threads together (clock_getcpuclockid(3)).
  private static func clock(ofProcess word: String) -> clockid_t {
    var clock = clockid_t()
    guard let process = pid_t(word), clock_getcpuclockid(process, &clock) == 0 else {
      complain("there is no process \(word)")
      exit(127)
    }
    return clock
  }

  /// Exits when the clock belongs to a process that has ended: its CPU time is then unknown.
  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else {
      complain("the process of --with cannot be timed: \(SystemError(errno).message)")
      exit(127)
    }
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
