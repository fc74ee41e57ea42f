import Glibc
import KettleDashboard
import KettleModel
import KettleSystem

/// The main loop of the dashboard: wait, update, draw.
struct DashboardLoop {
  /// 20 frames a second: more would be invisible and cost bandwidth over ssh.
  static let frameMilliseconds: Int64 = 50

  let backend: any TerminalBackend
  let effects: @Sendable (ServiceEffect) -> Void
  private var look: Look
  private var model: Dashboard
  private var shownGauge: BatchGauge?
  private var needsDrawing = true
  private var drawnAt: MonotonicTime?
  private var ticks = TickSchedule()
  private var unchangedRows: (message: DashboardMessage, since: MonotonicTime)?
  private var end: DashboardEnd?

  /// How often rows are taken that are as they were: the speeds have a sample a second.
  private static let sampleMilliseconds: Int64 = 900

  init(
    backend: any TerminalBackend, look: Look, settings: DashboardSettings,
    effects: @escaping @Sendable (ServiceEffect) -> Void
  ) {
    self.backend = backend
    self.look = look
    self.effects = effects
    let now = TerminalClock.now()
    var settings = settings
    settings.hasMotion = settings.hasMotion && look.canMove && !Self.isStillWanted
    model = Dashboard(
      size: backend.size, charset: look.charset,
      utcOffsetSeconds: TerminalClock.utcOffsetSeconds(at: now.wall), settings: settings)
  }

  /// Whether the variable NO_MOTION is set and not empty.
  private static var isStillWanted: Bool { getenv("NO_MOTION").map { $0.pointee != 0 } ?? false }

  mutating func run(_ drainMessages: () -> [DashboardMessage]) -> DashboardEnd {
    while true {
      let timeout = millisecondsToWait(at: TerminalClock.now().monotonic)
      let inputs = backend.nextInputs(timeoutMilliseconds: timeout)
      let now = TerminalClock.now()
      for message in drainMessages() { update(message, at: now) }
      for input in inputs { handle(input, at: now) }
      tickIfDue(at: now)
      if let end { return end }
      drawIfDue(at: now)
    }
  }

  private mutating func handle(_ input: TerminalInput, at now: Moment) {
    switch input {
    case .key(let key): update(.keyPressed(key), at: now)
    case .mouse(let event): update(.mouse(event), at: now)
    case .pasteRefused:
      update(.pasteRefused(characterCountMax: InputDecoder.pasteCountMax), at: now)
    case .lookChanged(let newLook):
      look = newLook
      needsDrawing = true
    case .resized: update(.resized(backend.size), at: now)
    case .continued:
      backend.reclaim()
      update(.resized(backend.size), at: now)
    case .suspendAsked: suspend(at: now)
    case .endAsked(let signal): end = end ?? .signalled(signal)
    case .hungUp: end = end ?? .hungUp
    }
  }

  private mutating func update(_ message: DashboardMessage, at now: Moment) {
    guard isNews(message, at: now.monotonic) else { return }
    let before = model
    let wanted = model.update(message, at: now)
    // Unchanged rows need no new frame; time has a message of its own.
    if case .rowsArrived = message {
      needsDrawing = needsDrawing || model != before
    } else {
      needsDrawing = true
    }
    for effect in wanted {
      switch effect {
      case .service(let effect): effects(effect)
      case .terminal(let effect): perform(effect, at: now)
      }
    }
  }

  /// Whether a message is more than the rows that were there in the last second.
  private mutating func isNews(_ message: DashboardMessage, at now: MonotonicTime) -> Bool {
    switch message {
    case .rowsArrived:
      if let known = unchangedRows, now.milliseconds(since: known.since) < Self.sampleMilliseconds,
        known.message == message
      {
        return false
      }
      unchangedRows = (message, now)
    case .ticked: break
    case .keyPressed, .mouse, .pasteRefused, .resized, .found, .detailsArrived, .membersArrived,
      .hostsArrived, .machinesArrived,
      .finishedSummed, .duplicatesFound, .directoriesKnown, .linkChanged, .serviceReported,
      .newsArrived, .commandFinished, .utcOffsetChanged:
      unchangedRows = nil
    }
    return true
  }

  private mutating func perform(_ effect: TerminalEffect, at now: Moment) {
    switch effect {
    case .leave: end = end ?? .left
    case .redraw: backend.forgetScreen()
    case .suspend: suspend(at: now)
    case .copy(let text):
      if let problem = backend.copy(text) {
        update(.commandFinished(.failed(sentence: problem.sentence)), at: now)
      }
    case .ring: backend.ring()
    case .announce(let text): backend.announce(text)
    }
  }

  private mutating func suspend(at now: Moment) {
    backend.suspend()
    update(.resized(backend.size), at: TerminalClock.now())
  }

  private mutating func tickIfDue(at now: Moment) {
    if ticks.takeIfDue(at: now.monotonic) {
      let offset = TerminalClock.utcOffsetSeconds(at: now.wall)
      if offset != model.utcOffsetSeconds { update(.utcOffsetChanged(seconds: offset), at: now) }
      update(.ticked, at: now)
    }
    let wait = model.millisecondsToNextTick(at: now)
    ticks.request(afterMilliseconds: wait, at: now.monotonic)
  }

  private mutating func drawIfDue(at now: Moment) {
    guard needsDrawing, millisecondsToFrame(at: now.monotonic) == 0 else { return }
    backend.draw(model.frame(at: now, look: look))
    if model.gauge != shownGauge {
      shownGauge = model.gauge
      backend.show(shownGauge)
    }
    needsDrawing = false
    drawnAt = now.monotonic
  }

  private func millisecondsToFrame(at now: MonotonicTime) -> Int64 {
    guard let drawnAt else { return 0 }
    return max(0, Self.frameMilliseconds - now.milliseconds(since: drawnAt))
  }

  private func millisecondsToWait(at now: MonotonicTime) -> Int32? {
    let frame = needsDrawing ? millisecondsToFrame(at: now) : nil
    let tick = ticks.milliseconds(from: now)
    guard let wait = [frame, tick].compactMap(\.self).min() else { return nil }
    return Int32(clamping: wait)
  }
}

/// When the dashboard ticks next.
struct TickSchedule: Sendable {
  private var dueAt: MonotonicTime?

  /// Returns whether a tick is due, which then is no longer pending.
  mutating func takeIfDue(at now: MonotonicTime) -> Bool {
    guard let dueAt, dueAt <= now else { return false }
    self.dueAt = nil
    return true
  }

  /// Requests a tick, or none. A pending tick stays if it is earlier: what happens more often than
  /// the dashboard ticks must not put it off.
  mutating func request(afterMilliseconds milliseconds: Int64?, at now: MonotonicTime) {
    let next = milliseconds.map { now.advanced(byMilliseconds: $0) }
    dueAt = next.map { min(dueAt ?? $0, $0) }
  }

  /// Returns the time until the tick; nil without one.
  func milliseconds(from now: MonotonicTime) -> Int64? {
    dueAt.map { max(0, $0.milliseconds(since: now)) }
  }
}

/// The clock of the loop that owns the terminal.
enum TerminalClock {
  static func now() -> Moment { .now() }

  static func utcOffsetSeconds(at time: WallTime) -> Int {
    var seconds = time_t(time.millisecondsSince1970 / 1000)
    var parts = tm()
    // localtime_r(3) alone keeps the zone of its first call.
    tzset()
    return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
  }
}
