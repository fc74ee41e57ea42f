import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import Logging
import TestSupport

@testable import KettleDaemon

/// A registry of hooks over a store in memory and programs that only the test ends.
final class HookWorld: Sendable {
  enum Effect: Sendable, Hashable {
    case committed(HookRun)
    /// The store could not be written.
    case refused(HookRun)
    case removed(HookRunID)
    case started(HookRunID)
    case signalled(HookRunID, Int32)
    case reported(HookRun)
  }

  /// The programs that were started, as far as the test controls them.
  private final class Programs: Sendable {
    struct State {
      var ends: [HookRunID: @Sendable (HookLauncher.End) -> Void] = [:]
      var missing: Set<String> = []
      var isStoreBroken = false
      /// What is written once the store is whole again.
      var submitted: [JournalChange] = []
      var ended: [HookRun] = []
    }

    let state = Mutex(State())
  }

  let clock: ManualClock
  let journal: InMemoryJournal
  let registry: HookRegistry
  /// All effects in order.
  let effects: AsyncStream<Effect>
  private let programs: Programs
  private let continuation: AsyncStream<Effect>.Continuation
  private let work: Task<Void, Never>

  /// The runs whose end was reported.
  var endedRuns: [HookRun] { programs.state.withLock { $0.ended } }

  /// - Parameter after: the world whose store is used again, as by the next service.
  init(after: HookWorld? = nil, runningMax: Int = 2, timeLimitSeconds: Int = 60) {
    let (effects, continuation) = AsyncStream<Effect>.makeStream()
    (self.effects, self.continuation) = (effects, continuation)
    let (clock, journal) = (ManualClock(), after?.journal ?? InMemoryJournal())
    (self.clock, self.journal) = (clock, journal)
    var limits = HookQueue.Limits()
    limits.runningMax = runningMax
    limits.timeLimitSeconds = timeLimitSeconds
    let programs = Programs()
    self.programs = programs
    registry = HookRegistry(
      limits, clock: clock,
      ports: HookRegistry.Ports(
        find: { try journal.hook($0) },
        commit: { changes throws(EngineError) in
          if programs.state.withLock({ $0.isStoreBroken }) {
            Self.report(changes, to: continuation, refused: true)
            throw .cannotKeep("no space")
          }
          do { try journal.commit(changes) } catch { throw .cannotKeep("\(error)") }
          Self.report(changes, to: continuation)
        },
        submit: { changes in
          programs.state.withLock { $0.submitted += changes }
          Self.write(programs, to: journal, continuation)
        },
        start: { run, _, ended in
          if programs.state.withLock({ $0.missing.contains(run.command.program) }) {
            return .failure(HookLauncher.NotStarted(errno: "ENOENT"))
          }
          programs.state.withLock { $0.ends[run.id] = ended }
          continuation.yield(.started(run.id))
          return .success(
            HookRegistry.Program { continuation.yield(.signalled(run.id, $0)) })
        },
        report: { continuation.yield(.reported($0)) },
        ended: { run in programs.state.withLock { $0.ended.append(run) } }),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    work = Task { [registry] in await registry.run() }
  }

  private static func report(
    _ changes: [JournalChange], to effects: AsyncStream<Effect>.Continuation, refused: Bool = false
  ) {
    for case .hook(let change) in changes {
      switch change {
      case .update(let run): effects.yield(refused ? .refused(run) : .committed(run))
      case .remove(let id): if !refused { effects.yield(.removed(id)) }
      case .add: break
      }
    }
  }

  /// Writes what was submitted, unless the store is broken.
  private static func write(
    _ programs: Programs, to journal: InMemoryJournal,
    _ effects: AsyncStream<Effect>.Continuation
  ) {
    let (changes, isBroken) = programs.state.withLock { state in
      defer { if !state.isStoreBroken { state.submitted = [] } }
      return (state.submitted, state.isStoreBroken)
    }
    if !isBroken {
      do { try journal.commit(changes) } catch { return }
    }
    report(changes, to: effects, refused: isBroken)
  }

  static func run(_ number: Int64, _ program: String = "notify-me") throws -> HookRun {
    HookRun(
      id: HookRunID(rawValue: number), event: .completed,
      command: try HookCommand.make([program]).get(),
      dueAt: WallTime(millisecondsSince1970: 0))
  }

  static let occasion = HookOccasion.allDone(HookTally())

  /// Records runs and reports them, as the engine does.
  func due(_ runs: [HookRun]) throws {
    try journal.commit(runs.map { .hook(.add($0, Self.occasion)) })
    registry.observe(.hooksDue(runs.map(\.id)))
  }

  func setBroken(_ isBroken: Bool) {
    programs.state.withLock { $0.isStoreBroken = isBroken }
    if !isBroken { Self.write(programs, to: journal, continuation) }
  }

  func lose(_ program: String) {
    programs.state.withLock { _ = $0.missing.insert(program) }
  }

  /// Ends the program of a run.
  func end(_ number: Int64, _ outcome: HookOutcome = .exited(code: 0), _ lines: [String] = []) {
    let ended = programs.state.withLock { $0.ends.removeValue(forKey: HookRunID(rawValue: number)) }
    ended?(HookLauncher.End(outcome: outcome, lines: lines))
  }

  /// Returns the next effects, up to the first matching one.
  func effects(until isLast: (Effect) -> Bool) async -> [Effect] {
    var all: [Effect] = []
    for await one in effects {
      all.append(one)
      if isLast(one) { break }
    }
    return all
  }

  func started(_ number: Int64) async {
    _ = await effects { $0 == .started(HookRunID(rawValue: number)) }
  }

  /// Waits for the record of an end.
  func end(of number: Int64) async -> HookOutcome? {
    let seen = await effects { effect in
      if case .committed(let run) = effect {
        run.id.rawValue == number && run.end != nil
      } else {
        false
      }
    }
    guard case .committed(let run)? = seen.last else { return nil }
    return run.end?.outcome
  }

  /// Waits until the record of an end was refused.
  func refusedEnd(of number: Int64) async {
    _ = await effects { effect in
      if case .refused(let run) = effect {
        run.id.rawValue == number && run.end != nil
      } else {
        false
      }
    }
  }

  /// Ends the registry. Returns the effects that were not read yet.
  func end() async -> [Effect] {
    registry.end()
    await work.value
    continuation.finish()
    return await effects { _ in false }
  }
}
