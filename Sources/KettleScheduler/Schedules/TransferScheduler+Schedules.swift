import KettleModel

/// What runs when: the hours of the user's queues, the limit by the time of day, and the conditions
/// of the user's own transfers.
extension TransferScheduler {
  /// Replaces the settings of the user's queues. Running transfers of one that is closed now end
  /// with their bytes kept and wait in it.
  package mutating func setQueues(
    _ settings: [QueueName: NamedQueues.Settings], at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    queue.named.set(settings, at: now.wall, in: environment.zone)
    fillSlots(&output, at: now)
    return output
  }

  /// Follows another schedule of the limit for all transfers together.
  package mutating func follow(_ schedule: LimitSchedule, at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    totalLimit.follow(schedule, at: now.wall, in: environment.zone)
    output.totalLimit = totalLimit.effective
    return output
  }

  /// Sets the limit for all transfers together until the schedule changes it; connections that it
  /// slows down do not count as silent.
  package mutating func limitAll(
    toBytesPerSecond limit: Int64?, at now: Moment
  ) -> SchedulerOutput {
    let before = limitBytesPerSecond
    let output = choose(totalLimit: limit, at: now)
    if before != limit {
      controlLog.append(
        bin.open(.limitAll, at: now.wall), .totalLimit(before: before, after: limit))
    }
    return output
  }

  mutating func choose(totalLimit limit: Int64?, at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    totalLimit.choose(bytesPerSecond: limit, at: now.wall, in: environment.zone)
    output.totalLimit = totalLimit.effective
    return output
  }

  /// Sets the conditions that the user's own transfers need.
  package mutating func setConditionsOfUser(
    _ conditions: Set<TransferCondition>, at now: Moment
  ) -> SchedulerOutput {
    var output = SchedulerOutput()
    environment.conditionsOfUser = conditions
    checkConditionsOfUser()
    fillSlots(&output, at: now)
    return output
  }

  /// Follows the schedules anew, because the time zone of the machine is another one.
  package mutating func zoneChanged(at now: Moment) -> SchedulerOutput {
    var output = SchedulerOutput()
    totalLimit.readHours(at: now.wall, in: environment.zone)
    output.totalLimit = totalLimit.effective
    queue.named.set(queue.named.settings, at: now.wall, in: environment.zone)
    fillSlots(&output, at: now)
    return output
  }

  /// Called when the met conditions have changed, before slots are filled.
  mutating func checkConditionsOfUser() {
    queue.named.setUnmet(environment.conditionsOfUser.subtracting(rules.metConditions).min())
  }

  /// Called as time passes.
  mutating func followSchedules(_ output: inout SchedulerOutput, at now: Moment) {
    if totalLimit.update(at: now.wall, in: environment.zone) {
      output.totalLimit = totalLimit.effective
    }
    queue.named.update(at: now.wall, in: environment.zone)
  }

  /// Ends the running transfers of closed queues; they are queued again with every byte kept.
  mutating func suspendClosed(_ output: inout SchedulerOutput) {
    for id in queue.runningInClosedQueues { update(id, into: &output) { $0.suspend() } }
  }

  /// Holds back every transfer while the settings of this configuration file are unknown: they may
  /// forbid what the defaults permit. nil lets them start.
  package mutating func holdBack(forConfiguration path: String?, at now: Moment) -> SchedulerOutput
  {
    var output = SchedulerOutput()
    environment.unreadConfiguration = path
    fillSlots(&output, at: now)
    return output
  }

  /// Ends all running transfers; they are queued again with every byte kept.
  mutating func suspendAll(_ output: inout SchedulerOutput) {
    for id in queue.running { update(id, into: &output) { $0.suspend() } }
  }

  /// When the schedules must be followed next.
  func nextScheduleCheck(at now: Moment) -> MonotonicTime? {
    [totalLimit.effective.until, queue.named.nextChange].compactMap { $0 }.min()
      .map { AlarmList.time(of: $0, at: now) }
  }

  /// Whether the settings have one of the user's queues; `default` always exists.
  package func hasQueue(_ name: QueueName) -> Bool {
    name == .standard || queue.named.settings[name] != nil
  }

  /// The queues that the settings have, with `default`, in their order.
  package var queueNames: [QueueName] {
    Set(queue.named.settings.keys).union([.standard]).sorted()
  }

  /// Moves transfers to one of the user's queues. Tasks of programs are in none.
  package mutating func assign(
    _ transfers: [TransferID], to name: QueueName, at now: Moment
  ) -> ([ControlResult], SchedulerOutput) {
    var output = SchedulerOutput()
    var results: [ControlResult] = []
    for id in transfers {
      guard let machine = machines[id], !machine.isTask else {
        results.append(.refused(.unknown))
        continue
      }
      update(id, into: &output) { $0.assign(to: name) }
      results.append(.applied)
    }
    fillSlots(&output, at: now)
    return (results, output)
  }

  /// The user's queues with settings or running transfers, `default` first. Queued transfers are
  /// not counted, because most of them may be only in the store.
  package func namedQueues() -> [QueueSnapshot] {
    let counts = queue.runningCounts
    let names = Set(queue.named.settings.keys).union(counts.keys).union([.standard])
    return names.sorted().map { name in
      let settings = queue.named[name]
      let standing = queue.named.standing(of: name)
      return QueueSnapshot(
        name: name, transfersMax: settings.transfersMax, hours: settings.hours?.text,
        isOpen: standing.isOpen, until: standing.until,
        waitsFor: queue.named.unmetCondition, runningCount: counts[name] ?? 0)
    }
  }
}
