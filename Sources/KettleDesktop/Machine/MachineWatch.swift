import Dispatch
import KettleModel
import KettleSystem

/// Reports which transfer conditions hold on this machine: once at the start, then on every change.
/// UPower, NetworkManager and the kernel prompt each check. Conditions that none of them would
/// report are polled every minute, and only while a transfer needs them.
package actor MachineWatch {
  package struct Settings: Sendable {
    /// Whether a condition is checked or preset.
    package enum Rule: Hashable, Sendable {
      case checked
      case preset(Bool)

      var preset: Bool? {
        switch self {
        case .checked: nil
        case .preset(let isMet): isMet
        }
      }
    }

    package var mains = Rule.checked
    package var unmetered = Rule.checked
    package var sysfsRoot = "/sys"
    package var busAddresses: [BusAddress]
    /// How long to gather changes: pulling a plug causes several.
    package var settling = Duration.milliseconds(300)
    /// Between two polls of an unreported condition, and between two attempts to connect to the
    /// bus.
    package var interval = Duration.seconds(60)
    /// For a reply from the bus.
    package var timeout = Duration.seconds(5)

    package init(busAddresses: [BusAddress]) { self.busAddresses = busAddresses }
  }

  private let settings: Settings
  private let observer: @Sendable (Set<TransferCondition>) -> Void
  private let schedule: CheckSchedule
  private let uevents: UeventWatch?
  private let executor: (any TaskExecutor)?
  private var checker: Task<Void, Never>?
  private var isNeeded = false
  private var bus: MachineBus?
  private var lastConnecting: ContinuousClock.Instant?
  private var reported: Set<TransferCondition>?

  /// - Parameters:
  ///   - executor: Where the watch runs; nil is Swift's default executor.
  ///   - observer: Called serially, never concurrently.
  package init(
    _ settings: Settings, on executor: (any TaskExecutor)? = nil,
    observer: @escaping @Sendable (Set<TransferCondition>) -> Void
  ) {
    self.settings = settings
    self.executor = executor
    self.observer = observer
    let schedule = CheckSchedule(settling: settings.settling)
    self.schedule = schedule
    uevents = settings.mains == .checked ? UeventWatch { schedule.checkSoon() } : nil
  }

  deinit { checker?.cancel() }

  /// Starts watching.
  package func start() {
    guard checker == nil else { return }
    schedule.checkNow()
    checker = Task(executorPreference: executor) { [weak self, schedule] in
      for await _ in schedule.checks { await self?.check() }
      await self?.disconnectBus()
    }
  }

  /// Whether a transfer has conditions. Without one there is no polling.
  package func setNeeded(_ isNeeded: Bool) {
    guard isNeeded != self.isNeeded else { return }
    self.isNeeded = isNeeded
    if isNeeded { schedule.checkNow() }
  }

  /// Stops watching; the observer may be called once more.
  package nonisolated func stop() {
    schedule.end()
    uevents?.stop()
  }

  // MARK: Checks

  private func check() async {
    await connectBus()
    async let power = settings.mains == .checked ? bus?.isOnBattery() : nil
    async let network = settings.unmetered == .checked ? bus?.meteredState() : nil
    let (powerReply, networkReply) = (await power, await network)
    var snapshot = MachineSnapshot()
    if case .value(.boolean(let isOnBattery))? = powerReply { snapshot.isOnBattery = isOnBattery }
    if case .value(.uint32(let metered))? = networkReply { snapshot.metered = metered }
    if snapshot.isOnBattery == nil, settings.mains == .checked {
      snapshot.supplies = PowerSupplyDirectory(root: settings.sysfsRoot).read()
    }
    let met = snapshot.metConditions(settings)
    if met != reported {
      reported = met
      observer(met)
    }
    if powerReply == .ended || networkReply == .ended { bus = nil }
    let isSilent = powerReply == .silence || networkReply == .silence
    // Inside a container the kernel reports no events of power supplies, although they are visible.
    let mustPoll = (wantsBus && bus == nil) || isSilent || snapshot.supplies.hasBattery
    if isNeeded, mustPoll { schedule.check(after: settings.interval) }
  }

  private var wantsBus: Bool {
    let isChecked = settings.mains == .checked || settings.unmetered == .checked
    return isChecked && !settings.busAddresses.isEmpty
  }

  /// At most once per interval, so that a bus that disconnects us is not flooded.
  private func connectBus() async {
    guard bus == nil, wantsBus else { return }
    let now = ContinuousClock.now
    if let lastConnecting, now - lastConnecting < settings.interval { return }
    lastConnecting = now
    bus = try? await MachineBus(settings.busAddresses, timeout: settings.timeout) {
      [weak self, schedule, executor] event in
      switch event {
      case .signal: schedule.checkSoon()
      case .ended: Task(executorPreference: executor) { await self?.busEnded() }
      }
    }
  }

  private func disconnectBus() { bus = nil }

  private func busEnded() {
    bus = nil
    schedule.checkSoon()
  }
}

/// Schedules checks of the machine. However many are requested, at most one is pending and one is
/// scheduled for later.
final class CheckSchedule: Sendable {
  let checks: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let settling: Duration
  private let queue = DispatchQueue(label: "kettle.machine")
  private let plan = Mutex(Plan())

  private struct Plan {
    /// Changes are being gathered.
    var isGathering = false
    /// Numbers the later checks; only the last one counts.
    var lastDelayed = 0
  }

  init(settling: Duration) {
    self.settling = settling
    (checks, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func checkNow() { continuation.yield() }

  func end() { continuation.finish() }

  /// Schedules a check after a change; changes that follow shortly are part of it.
  func checkSoon() {
    let isFirst = plan.withLock { plan in
      defer { plan.isGathering = true }
      return !plan.isGathering
    }
    guard isFirst else { return }
    queue.asyncAfter(deadline: .now() + settling.interval) { [weak self] in
      self?.plan.withLock { $0.isGathering = false }
      self?.checkNow()
    }
  }

  /// Schedules a later check in place of the previous one.
  func check(after delay: Duration) {
    let number = plan.withLock { plan in
      plan.lastDelayed += 1
      return plan.lastDelayed
    }
    queue.asyncAfter(deadline: .now() + delay.interval) { [weak self] in
      guard let self, plan.withLock({ $0.lastDelayed == number }) else { return }
      checkNow()
    }
  }
}

extension Duration {
  fileprivate var interval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}

/// What is known about the machine at one moment.
struct MachineSnapshot: Hashable, Sendable {
  /// UPower's answer, where it exists.
  var isOnBattery: Bool?
  /// The kernel's answer; read only when UPower has none.
  var supplies: [PowerSupply] = []
  /// NetworkManager's `NMMetered`, where it exists.
  var metered: UInt32?

  /// 1 is a metered network and 3 one that is guessed to be metered. Unknown counts as unmetered.
  var isUnmetered: Bool { metered != 1 && metered != 3 }

  var isOnMains: Bool { isOnBattery.map { !$0 } ?? supplies.isOnMains }

  func metConditions(_ settings: MachineWatch.Settings) -> Set<TransferCondition> {
    Set(
      TransferCondition.allCases.filter { condition in
        switch condition {
        case .mainsPower: settings.mains.preset ?? isOnMains
        case .unmeteredNetwork: settings.unmetered.preset ?? isUnmetered
        }
      })
  }
}
