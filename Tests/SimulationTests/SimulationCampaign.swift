import Glibc
import KettleSystem

/// Many runs, on as many threads as there are processors.
final class SimulationCampaign: Sendable {
  struct Settings: Sendable {
    /// How long new seeds are drawn; nil for the fixed ones alone.
    var seconds: Int?
    /// The only seed to run.
    var seed: UInt64?
    /// Whether each run is repeated, and must have the same trace.
    var isTwice = false
    /// Whether the trace of the only seed is printed.
    var showsTrace = false

    static var environment: Settings {
      func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
      return Settings(
        seconds: value("KETTLE_SIMULATE_SECONDS").flatMap { Int($0) },
        seed: value("KETTLE_SEED").flatMap { UInt64($0) },
        isTwice: value("KETTLE_SIMULATE_TWICE") == "1",
        showsTrace: value("KETTLE_SIMULATE_TRACE") == "1")
    }
  }

  private struct State: Sendable {
    var simulatedMilliseconds: Int64 = 0
    var runCount = 0
    var workCount = 0
    var sometimes: [String: Int] = [:]
    var failure: String?
  }

  private let settings: Settings
  private let state = Mutex(State())
  private let begin = ContinuousClock.now

  init(_ settings: Settings) { self.settings = settings }

  var failure: String? { state.withLock { $0.failure } }

  func run(fixed seeds: [UInt64]) async {
    if let seed = settings.seed { return check(seed) }
    guard let seconds = settings.seconds else {
      for seed in seeds where failure == nil { check(seed) }
      return
    }
    let first = UInt64.random(in: 1...UInt64(Int64.max))
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<UInt64(2) {
        group.addTask { [self] in
          var seed = first &+ lane
          while failure == nil, ContinuousClock.now - begin < .seconds(seconds) {
            check(seed)
            seed &+= 2
          }
        }
      }
    }
  }

  private func check(_ seed: UInt64) {
    let options = SimulationOptions(seed: seed)
    do {
      let outcome = try SimulationRun.outcome(options, keepsLines: settings.showsTrace)
      note(outcome)
      if settings.showsTrace { print(outcome.lines.joined(separator: "\n")) }
      if !outcome.violations.isEmpty { return fail(options, outcome) }
      guard settings.isTwice else { return }
      let second = try SimulationRun.outcome(options)
      if second.hash != outcome.hash { fail("seed \(seed) has two traces") }
    } catch {
      fail("seed \(seed): \(error)")
    }
  }

  private func note(_ outcome: SimulationRun.Outcome) {
    state.withLock { state in
      state.simulatedMilliseconds += outcome.simulatedMilliseconds
      state.runCount += 1
      state.workCount += outcome.workCount
      state.sometimes.merge(outcome.sometimes) { $0 + $1 }
    }
  }

  private func fail(_ text: String) {
    state.withLock { $0.failure = $0.failure ?? text }
  }

  private func fail(_ options: SimulationOptions, _ outcome: SimulationRun.Outcome) {
    fail("\(options)\n" + outcome.violations.joined(separator: "\n"))
    guard !settings.showsTrace else { return }
    let least = Self.minimized(options, until: ContinuousClock.now + .seconds(120))
    guard let last = try? SimulationRun.outcome(least, keepsLines: true) else { return }
    state.withLock { state in
      state.failure =
        (state.failure ?? "") + "\n\nwith less: \(least)\n"
        + last.violations.joined(separator: "\n") + "\n\n"
        + last.lines.suffix(200).joined(separator: "\n")
    }
  }

  /// Leaves out faults, transfers and time as long as the run still fails.
  static func minimized(
    _ options: SimulationOptions, until end: ContinuousClock.Instant
  ) -> SimulationOptions {
    var least = options
    var candidates = least.smaller
    while let candidate = candidates.first, ContinuousClock.now < end {
      candidates.removeFirst()
      guard let outcome = try? SimulationRun.outcome(candidate), !outcome.violations.isEmpty else {
        continue
      }
      least = candidate
      candidates = least.smaller
    }
    return least
  }

  /// The speed, and how often what should sometimes happen did.
  var report: String {
    let state = state.withLock { $0 }
    let hours = Double(state.simulatedMilliseconds) / 3_600_000
    let seconds = Double((ContinuousClock.now - begin).components.seconds)
    let speed = Int(hours / max(1, seconds))
    let events = state.sometimes.sorted { $0.key < $1.key }.map { "  \($0.value)\t\($0.key)" }
    return
      "simulated \(Int(hours)) hours in \(state.runCount) runs and \(Int(seconds)) s: "
      + "\(speed) hours per second, \(state.workCount) pieces of work\n"
      + events.joined(separator: "\n") + "\n" + (state.failure.map { "FAILED: \($0)" } ?? "")
  }
}
