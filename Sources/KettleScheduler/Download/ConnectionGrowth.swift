import KettleModel

/// How many connections a running download should have.
///
/// A download starts with one. While another one raises the total rate by at least a tenth, the
/// count doubles; connections that add nothing are closed. Two things must not be mistaken for a
/// result: slow start, in which the rate of a connection doubles with each round trip until it has
/// found the capacity of the path, and the first burst of a server that limits each connection.
/// docs/downloading.md explains the rules, docs/decisions/0020 the choice.
struct ConnectionGrowth: Sendable, Hashable {
  enum Stage: Sendable, Hashable {
    /// No body flows.
    case idle
    /// The rate of the first connection is being measured.
    case alone
    case climbing(Step)
    case settled(Rest)
  }

  /// Connections were added, and their effect is not known.
  struct Step: Sendable, Hashable {
    var countBefore: Int
    var begunAt: MonotonicTime
    /// When all of them had delivered something.
    var joinedAt: MonotonicTime?
    /// The best total rate before they contributed.
    var rateBefore: Int64
    var pace: Pace
    var basis: Basis
    /// The rate that the line is known to carry; nil where it is not known.
    var capacity: Int64?
  }

  /// What the rate did when a step began.
  enum Basis: Sendable, Hashable {
    case steady
    /// It was still growing on its own.
    case slowStart
  }

  /// The span over which a rate is judged.
  enum Pace: Sendable, Hashable {
    /// A few round trips, while the download is young.
    case quick
    /// A second or more: long enough for a server that sends in bursts.
    case careful
  }

  /// The count stays as it is.
  struct Rest: Sendable, Hashable {
    var since: MonotonicTime
    /// The best rate over the careful span.
    var best: Int64 = 0
    /// When one more connection is tried; nil when only a fall of the rate gives a reason.
    var nextProbeAt: MonotonicTime?
  }

  /// How many connections the download should have. More may be open for a while: copies of parts
  /// whose connections are silent.
  private(set) var target = 1
  /// When to observe next; nil when the ticks of the engine suffice.
  private(set) var nextAt: MonotonicTime?
  private(set) var stage = Stage.idle
  private var arrivals = ArrivalHistory()
  private var bodyBegunAt = MonotonicTime(milliseconds: 0)
  /// The best rate over a quick span so far, not counting the latest one.
  private var best: Int64 = 0
  private var probePauseMilliseconds = Self.probePauseMillisecondsMin

  static let probePauseMillisecondsMin: Int64 = 1250
  static let probePauseMillisecondsMax: Int64 = 160_000
  /// A line that one connection fills never gets more.
  static let countAlways = 2
  static let firstObservationMilliseconds: Int64 = 25
  static let fastBytesPerSecondMin: Int64 = 32 << 20
  /// The shortest span over which a fast rate is recognized and judged.
  static let fastMilliseconds: Int64 = 500
  /// The first burst of a server that limits each connection ends within this time.
  static let burstMillisecondsMax: Int64 = 3000
  /// The round-trip time where it is unknown.
  static let roundTripMillisecondsDefault: Int64 = 50

  /// What is seen of the download at one moment.
  struct Observation: Sendable, Hashable {
    enum Flow: Sendable, Hashable {
      case free
      /// Our disk, and not the network, sets the rate.
      case waitingForDisk
      /// A connection has been silent for so long that the network may be gone.
      case silent
    }

    var presentByteCount: Int64
    var missingByteCount: Int64
    /// Connections that are not closing.
    var activeCount: Int
    /// Those of them that have delivered something.
    var deliveringCount: Int
    var flow: Flow
    var roundTripMilliseconds: Int64
    /// The limit that applies to the download; nil without one.
    var limitBytesPerSecond: Int64?
  }

  /// What follows an observation.
  enum Verdict: Sendable, Hashable {
    case keep
    /// The connections begun last add nothing.
    case drop(count: Int)
  }

  /// The body flows from now on.
  mutating func begin(_ presentByteCount: Int64, at now: MonotonicTime) {
    arrivals = ArrivalHistory()
    arrivals.record(presentByteCount, at: now)
    best = 0
    bodyBegunAt = now
    stage = .alone
    nextAt = now.advanced(byMilliseconds: Self.firstObservationMilliseconds)
  }

  /// Stops observing: the file cannot be divided any more.
  mutating func end() {
    stage = .idle
    nextAt = nil
  }

  /// Counts from the number of sources: each has a connection, whatever more of them add.
  mutating func begin(with sourceCount: Int) {
    if case .alone = stage { target = max(target, sourceCount) }
  }

  /// Adjusts the target to what is seen.
  mutating func observe(
    _ seen: Observation, _ policy: DivisionPolicy, at now: MonotonicTime
  ) -> Verdict {
    if case .idle = stage { return .keep }
    switch seen.flow {
    case .waitingForDisk, .silent:
      rest(at: seen.activeCount, now)
      return .keep
    case .free: break
    }
    arrivals.record(seen.presentByteCount, at: now)
    let rates = Rates(arrivals, seen)
    best = max(best, rates.quickBefore)
    let verdict: Verdict
    switch stage {
    case .idle: verdict = .keep
    case .alone: verdict = observeAlone(seen: seen, rates: rates, policy: policy, at: now)
    case .climbing(let step):
      verdict = observe(step, seen: seen, rates: rates, policy: policy, at: now)
    case .settled(let rest):
      verdict = observe(rest, seen: seen, rates: rates, policy: policy, at: now)
    }
    scheduleObservation(rates, at: now)
    return verdict
  }

  /// Rates that were measured while the network or the disk stood still say nothing.
  private mutating func rest(at activeCount: Int, _ now: MonotonicTime) {
    arrivals = ArrivalHistory()
    best = 0
    nextAt = nil
    if case .settled(let rest) = stage {
      settle(at: target, probing: rest.nextProbeAt == nil ? .never : .later, now)
    } else {
      settle(at: max(1, min(activeCount, target)), probing: .later, now)
    }
  }

  private mutating func scheduleObservation(_ rates: Rates, at now: MonotonicTime) {
    switch stage {
    case .idle: nextAt = nil
    case .settled where !isYoung(at: now): nextAt = nil
    case .alone, .climbing, .settled:
      nextAt = now.advanced(byMilliseconds: min(max(rates.round / 2, 20), 100))
    }
  }

  // MARK: Stages

  private mutating func observeAlone(
    seen: Observation, rates: Rates, policy: DivisionPolicy, at now: MonotonicTime
  ) -> Verdict {
    let age = now.milliseconds(since: bodyBegunAt)
    guard age >= (rates.isFast ? Self.fastMilliseconds : policy.speedMilliseconds),
      seen.presentByteCount > 0 || age >= 1000,
      rates.quick < policy.aloneBytesPerSecondMin, !rates.isReadySoon(policy),
      !rates.isAtLimit
    else { return .keep }
    // With several sources, the rate of one says nothing about their sum.
    let isAwaited = target > 1 && seen.deliveringCount < target
    guard !isAwaited || age >= Self.burstMillisecondsMax else { return .keep }
    let next = target > 1 ? target * 2 : Self.countAlways
    climb(to: next, pace: .quick, rates: rates, policy: policy, at: now)
    return .keep
  }

  private mutating func observe(
    _ step: Step, seen: Observation, rates: Rates, policy: DivisionPolicy,
    at now: MonotonicTime
  ) -> Verdict {
    if rates.isReadySoon(policy) || rates.isAtLimit {
      // A fast line is ready before the effect of the second connection is known. When one of the
      // two has ended its part, it is not replaced.
      if rates.isFast, step.countBefore == 1 { settle(at: 1, probing: .never, now) }
      return .keep
    }
    if isHeadroomEvident(step, rates: rates, policy: policy, at: now) {
      climb(
        to: target * 4, pace: .quick, rates: rates, policy: policy, capacity: step.capacity, at: now
      )
      return .keep
    }
    var step = step
    if step.joinedAt == nil, seen.deliveringCount >= target { step.joinedAt = now }
    guard let joinedAt = step.joinedAt else {
      if now.milliseconds(since: step.begunAt) >= 2000 + 6 * rates.round {
        settle(at: max(1, min(target, seen.activeCount)), probing: .later, now)
      } else {
        stage = .climbing(step.raised(to: rates.rate(step.pace)))
      }
      return .keep
    }
    let age = now.milliseconds(since: joinedAt)
    switch step.basis {
    case .steady: break
    // The older ones still grow, and what the new ones deliver this early hardly counts.
    case .slowStart:
      if age <= 2 * rates.round { step = step.raised(to: rates.rate(step.pace)) }
    }
    stage = .climbing(step)
    guard age >= rates.judgementMilliseconds(step.pace), !rates.isClimbing || age >= 3000 else {
      return .keep
    }
    return judge(step, rates: rates, policy: policy, at: now)
  }

  /// Decides whether the connections of a step are worth keeping.
  private mutating func judge(
    _ step: Step, rates: Rates, policy: DivisionPolicy, at now: MonotonicTime
  ) -> Verdict {
    let rate = rates.rate(step.pace)
    if rate * 100 >= step.rateBefore * rates.gainPercent(step.pace) {
      probePauseMilliseconds = Self.probePauseMillisecondsMin
      if let capacity = step.capacity, rate * 100 >= capacity * 90 {
        settle(at: target, probing: .later, now)
      } else {
        climb(
          to: target * 2, pace: step.pace, rates: rates, policy: policy, capacity: step.capacity,
          at: now)
      }
      return .keep
    }
    // A rate that has fallen since shows that the line is not full.
    guard rate * 100 >= step.rateBefore * 85 else {
      settle(at: target, probing: .later, best: step.capacity ?? step.rateBefore, now)
      return .keep
    }
    let surplus = max(0, target - max(step.countBefore, Self.countAlways))
    probePauseMilliseconds = min(probePauseMilliseconds * 2, Self.probePauseMillisecondsMax)
    // Where one connection fills the line, only a fall of the rate gives a reason to try again. The
    // second one may end its part, but is not replaced.
    settle(at: step.countBefore, probing: step.countBefore > 1 ? .later : .never, now)
    return surplus > 0 ? .drop(count: surplus) : .keep
  }

  private mutating func observe(
    _ rest: Rest, seen: Observation, rates: Rates, policy: DivisionPolicy,
    at now: MonotonicTime
  ) -> Verdict {
    var rest = rest
    if isBurstOver(rates, policy, at: now) {
      climb(
        to: max(target, seen.activeCount) * 2, pace: .quick, rates: rates, policy: policy, at: now)
      return .keep
    }
    guard now.milliseconds(since: rest.since) >= rates.carefulMilliseconds else { return .keep }
    let rate = rates.rate(.careful)
    rest.best = max(rest.best, rate)
    stage = .settled(rest)
    // While nothing arrives, more connections would not help.
    guard target < policy.connectionsMax, rates.quick > 0, !rates.isReadySoon(policy),
      !rates.isAtLimit, rate < policy.aloneBytesPerSecondMin
    else { return .keep }
    if rate * 100 < rest.best * rates.fallPercent {
      // After a deep fall, as when a server begins to limit each connection, the line has room.
      let pace = rate * 2 < rest.best ? Pace.quick : .careful
      climb(to: target * 2, pace: pace, rates: rates, policy: policy, capacity: rest.best, at: now)
    } else if let nextProbeAt = rest.nextProbeAt, nextProbeAt <= now {
      climb(to: target + max(1, target / 2), pace: .careful, rates: rates, policy: policy, at: now)
    }
    return .keep
  }

  // MARK: Changes

  private mutating func climb(
    to count: Int, pace: Pace, rates: Rates, policy: DivisionPolicy,
    capacity: Int64? = nil, at now: MonotonicTime
  ) {
    let next = min(count, policy.connectionsMax)
    guard next > target else { return settle(at: target, probing: .later, now) }
    stage = .climbing(
      Step(
        countBefore: target, begunAt: now, rateBefore: rates.rate(pace), pace: pace,
        basis: rates.isSteady ? .steady : .slowStart, capacity: capacity))
    target = next
  }

  /// Whether one more connection is tried without another reason.
  private enum Probing: Sendable {
    case later
    case never
  }

  private mutating func settle(
    at count: Int, probing: Probing, best: Int64 = 0, _ now: MonotonicTime
  ) {
    target = count
    switch probing {
    case .never: stage = .settled(Rest(since: now, best: best))
    case .later:
      let next = now.advanced(byMilliseconds: probePauseMilliseconds)
      stage = .settled(Rest(since: now, best: best, nextProbeAt: next))
    }
  }

  /// Whether the connections were judged by a burst: the download is young, and its rate has fallen
  /// by a third. Then the server limits each connection, or packets are lost and slow start had
  /// filled the line for a moment only. A line that its connections fill does not fall that far.
  private func isBurstOver(
    _ rates: Rates, _ policy: DivisionPolicy, at now: MonotonicTime
  ) -> Bool {
    isYoung(at: now) && target < policy.connectionsMax && !rates.isFast
      && rates.hasFallen(below: best / 3 * 2) && !rates.isReadySoon(policy) && !rates.isAtLimit
  }

  private func isYoung(at now: MonotonicTime) -> Bool {
    now.milliseconds(since: bodyBegunAt) < Self.burstMillisecondsMax
  }

  /// Whether the line certainly has room, so that a verdict need not be awaited.
  private func isHeadroomEvident(
    _ step: Step, rates: Rates, policy: DivisionPolicy, at now: MonotonicTime
  ) -> Bool {
    // A line that carries nothing may be gone.
    guard step.pace == .quick, !rates.isFast, rates.quick > 0,
      best < policy.aloneBytesPerSecondMin / 2,
      now.milliseconds(since: step.begunAt) >= rates.stepMilliseconds(from: step.countBefore)
    else { return false }
    let isRising = rates.isClimbing && rates.quick * 100 >= best * 140
    return isRising || rates.hasFallen(below: best / 2)
  }
}

extension ConnectionGrowth.Step {
  /// The same step with at least this rate as the one before it.
  fileprivate func raised(to rate: Int64) -> Self {
    var raised = self
    raised.rateBefore = max(rateBefore, rate)
    return raised
  }
}
