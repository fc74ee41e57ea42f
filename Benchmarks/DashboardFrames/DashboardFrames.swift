import Glibc
import KettleDashboard
import KettleModel
import KettleSystem
import KettleTerminal

/// Measures the cost of the dashboard for 100,000 transfers, of which 50 running ones are visible:
/// the time of a frame from the rows to the bytes for the terminal, the share of a core at ten
/// updates a second, and the bytes that a calm and a busy screen send. Exits with 1 when a number
/// exceeds its budget.
///
///     dashboard-frames [FRAMES] [SECONDS]
@main
struct DashboardFrames {
  private static let visibleCount = 50
  private static let roundCount = 5

  static func main() {
    let words = CommandLine.arguments
    let frameCount = words.count > 1 ? Int(words[1]) ?? 2000 : 2000
    let seconds = words.count > 2 ? Int64(words[2]) ?? 10 : 10
    setenv("TERM", "xterm-256color", 1)
    setenv("LC_ALL", "C.UTF-8", 1)
    guard let terminal = PseudoTerminal(columns: 140, rows: 56) else { exit(2) }
    terminal.startCounting()
    var report = Report(descriptor: terminal.report)
    do {
      try measureFrames(frameCount, on: terminal, report: &report)
      try measureSession(.busy, seconds: seconds, on: terminal, report: &report)
      try measureSession(.calm, seconds: seconds, on: terminal, report: &report)
      try measureSession(.silent, seconds: seconds, on: terminal, report: &report)
    } catch {
      report.say(error.sentence)
      exit(2)
    }
    report.end()
  }

  // MARK: - Frames -

  private static func measureFrames(
    _ count: Int, on pseudo: PseudoTerminal, report: inout Report
  ) throws(TerminalProblem) {
    let terminal = try NcursesTerminal()
    let look = try terminal.claim()
    defer { terminal.restore() }
    var model = Dashboard(size: terminal.size)
    let rows = SampleRows(visibleCount: visibleCount, isBusy: true)
    var times: [Int64] = []
    // On a machine with other work, wall time would mostly measure that work.
    var costs: [Int64] = []
    var parts = (update: Int64(0), frame: Int64(0), draw: Int64(0))
    let before = pseudo.byteCount
    _ = model.update(.linkChanged(.connected), at: moment(0))
    for step in 0..<Int64(count) {
      let message = DashboardMessage.rowsArrived(rows.window(step: step), rows.totals(step: step))
      let now = moment(step * 100)
      let began = nanoseconds()
      let start = threadNanoseconds()
      _ = model.update(message, at: now)
      let updated = threadNanoseconds()
      let frame = model.frame(at: now, look: look)
      let framed = threadNanoseconds()
      terminal.draw(frame)
      let drawn = threadNanoseconds()
      times.append(nanoseconds() - began)
      costs.append(drawn - start)
      parts = (
        parts.update + updated - start, parts.frame + framed - updated, parts.draw + drawn - framed
      )
    }
    let sent = pseudo.byteCount - before
    let slowest = slowest(of: times)
    times.sort()
    costs.sort()
    let total = Int64(max(count, 1))
    report.add("frame, half of them within", milliseconds(times[count / 2]), unit: "ms")
    report.add("frame, 99 of 100 within", milliseconds(slowest), unit: "ms", most: 16)
    report.add("  of the processor, 99 of 100", milliseconds(costs[count * 99 / 100]), unit: "ms")
    report.add("  mean of it: update", milliseconds(parts.update / total), unit: "ms")
    report.add("  mean of it: frame", milliseconds(parts.frame / total), unit: "ms")
    report.add("  mean of it: draw", milliseconds(parts.draw / total), unit: "ms")
    report.add("bytes of a frame", Double(sent / max(count, 1)), unit: "")
  }

  /// Returns the 99th percentile, as the median over a few rounds: one pause of a virtual machine
  /// is longer than many frames.
  private static func slowest(of times: [Int64]) -> Int64 {
    let round = max(1, (times.count + roundCount - 1) / roundCount)
    let slowest = stride(from: 0, to: times.count, by: round).map { lower in
      let some = times[lower..<min(lower + round, times.count)].sorted()
      return some[some.count * 99 / 100]
    }
    return slowest.isEmpty ? 0 : slowest.sorted()[slowest.count / 2]
  }

  // MARK: - Running dashboard -

  private enum Pace {
    /// 50 rows change ten times a second.
    case busy
    /// Rows arrive ten times a second, but nothing in them changes.
    case calm
    /// No rows arrive.
    case silent

    var name: String {
      switch self {
      case .busy: "busy"
      case .calm: "calm"
      case .silent: "idle"
      }
    }

    var shareMost: Double {
      switch self {
      case .busy: 3
      case .calm, .silent: 0.3
      }
    }

    var bytesMost: Double? {
      switch self {
      case .busy: nil
      case .calm, .silent: 400
      }
    }
  }

  private static func measureSession(
    _ pace: Pace, seconds: Int64, on pseudo: PseudoTerminal, report: inout Report
  ) throws(TerminalProblem) {
    let runner = DashboardRunner(backend: try NcursesTerminal()) { _ in }
    let rows = SampleRows(visibleCount: visibleCount, isBusy: pace == .busy)
    let spent = Mutex((byteCount: 0, nanoseconds: Int64(0)))
    let clock = clockOfThisThread()
    runner.post(.linkChanged(.connected))
    runner.post(.rowsArrived(rows.window(step: 0), rows.totals(step: 0)))
    SystemThread.detach {
      // Excludes the cost of starting.
      wait(milliseconds: 500)
      let before = (byteCount: pseudo.byteCount, nanoseconds: nanoseconds(clock))
      for step in 0..<(seconds * 10) {
        if pace != .silent {
          runner.post(.rowsArrived(rows.window(step: step), rows.totals(step: step)))
        }
        // Waits so that the last frame counts too.
        wait(milliseconds: 100)
      }
      spent.withLock {
        $0 = (pseudo.byteCount - before.byteCount, nanoseconds(clock) - before.nanoseconds)
      }
      pseudo.type("q")
    }
    _ = try runner.run()
    let sum = spent.withLock { $0 }
    let share = Double(sum.nanoseconds) / Double(seconds * 1_000_000_000) * 100
    let bytesPerSecond = Double(sum.byteCount) / Double(seconds)
    report.add("\(pace.name): share of a core", share, unit: "%", most: pace.shareMost)
    report.add("\(pace.name): bytes a second", bytesPerSecond, unit: "", most: pace.bytesMost)
  }

  // MARK: - Time -

  private static func moment(_ milliseconds: Int64) -> Moment {
    Moment(
      monotonic: MonotonicTime(milliseconds: 1_000_000 + milliseconds),
      wall: WallTime(millisecondsSince1970: 1_795_262_400_000 + milliseconds))
  }

  private static func milliseconds(_ nanoseconds: Int64) -> Double {
    Double(nanoseconds) / 1_000_000
  }

  private static func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The CPU clock of this thread, which other threads can read (pthread_getcpuclockid(3)).
  private static func clockOfThisThread() -> clockid_t {
    var clock = CLOCK_THREAD_CPUTIME_ID
    pthread_getcpuclockid(pthread_self(), &clock)
    return clock
  }

  private static func threadNanoseconds() -> Int64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

  private static func wait(milliseconds: Int32) { _ = poll(nil, 0, milliseconds) }
}
