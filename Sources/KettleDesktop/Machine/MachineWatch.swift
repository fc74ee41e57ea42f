import Dispatch
import KettleModel

/// Reports which transfer conditions hold on this machine: once at the start, then on every change.
/// UPower, NetworkManager and the kernel prompt each look. Conditions that none of them would
/// report are polled every minute, and only while a transfer needs them.
package actor MachineWatch {
  package struct Settings: Sendable {
    /// Whether a condition is checked or preset.
    package enum Rule: Hashable, Sendable {
      case looked
      case known(Bool)

      var answer: Bool? {
        switch self {
        case .looked: nil
        case .known(let answer): answer
        }
      }
    }

    package var mains = Rule.looked
    package var unmetered = Rule.looked
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
  private let alarm: CheckSchedule
  private let kernel: UeventWatch?
  private let executor: (any TaskExecutor)?
  private var looker: Task<Void, Never>?
  private var isNeeded = false
  private var bus: MachineBus?
  private var lastJoining: ContinuousClock.Instant?
  private var told: Set<TransferCondition>?

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
    let alarm = CheckSchedule(settling: settings.settling)
    self.alarm = alarm
    kernel = settings.mains == .looked ? UeventWatch { alarm.soon() } : nil
  }

  deinit { looker?.cancel() }

  /// Starts watching.
  package func start() {
    guard looker == nil else { return }
    alarm.now()
    looker = Task(executorPreference: executor) { [weak self, alarm] in
      for await _ in alarm.rings { await self?.look() }
      await self?.leaveBus()
    }
  }

  /// Whether a transfer has conditions. Without one there is no polling.
  package func setNeeded(_ isNeeded: Bool) {
    guard isNeeded != self.isNeeded else { return }
    self.isNeeded = isNeeded
    if isNeeded { alarm.now() }
  }

  /// Stops watching; the observer may be called once more.
  package nonisolated func stop() {
    alarm.end()
    kernel?.stop()
  }

  // MARK: Looking

  private func look() async {
    await joinBus()
    async let power = settings.mains == .looked ? bus?.isOnBattery() : nil
    async let network = settings.unmetered == .looked ? bus?.metered() : nil
    let (powerAnswer, networkAnswer) = (await power, await network)
    var picture = MachineSnapshot()
    if case .value(.boolean(let isOnBattery))? = powerAnswer { picture.isOnBattery = isOnBattery }
    if case .value(.uint32(let metered))? = networkAnswer { picture.metered = metered }
    if picture.isOnBattery == nil, settings.mains == .looked {
      picture.supplies = PowerSupplyDirectory(root: settings.sysfsRoot).read()
    }
    let met = picture.met(settings)
    if met != told {
      told = met
      observer(met)
    }
    if powerAnswer == .ended || networkAnswer == .ended { bus = nil }
    let isSilent = powerAnswer == .silence || networkAnswer == .silence
    // Inside a container the kernel reports no events of power supplies, although they are visible.
    let mustPoll = (wantsBus && bus == nil) || isSilent || picture.supplies.hasBattery
    if isNeeded, mustPoll { alarm.later(settings.interval) }
  }

  private var wantsBus: Bool {
    let isLooked = settings.mains == .looked || settings.unmetered == .looked
    return isLooked && !settings.busAddresses.isEmpty
  }

  /// At most once per interval, so that a bus that disconnects us is not flooded.
  private func joinBus() async {
    guard bus == nil, wantsBus else { return }
    let now = ContinuousClock.now
    if let lastJoining, now - lastJoining < settings.interval { return }
    lastJoining = now
    bus = try? await MachineBus(settings.busAddresses, timeout: settings.timeout) {
      [weak self, alarm, executor] event in
      switch event {
      case .signal: alarm.soon()
      case .ended: Task(executorPreference: executor) { await self?.busEnded() }
      }
    }
  }

  private func leaveBus() { bus = nil }

  private func busEnded() {
    bus = nil
    alarm.soon()
  }
}
