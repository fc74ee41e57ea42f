import KettleModel
import KettleScheduler

/// What runs when: the user's queues, and the limit for all transfers together.
extension TransferEngine {
  /// Sets the speed limit of all transfers together; nil is none. It applies at once, until the
  /// schedule changes the limit or the service ends.
  package func limitAll(toBytesPerSecond limit: Int64?) {
    apply { scheduler, now in scheduler.limitAll(toBytesPerSecond: limit, at: now) }
  }

  /// Follows another schedule of the speed limit of all transfers together.
  package func follow(_ schedule: LimitSchedule) {
    apply { scheduler, now in scheduler.follow(schedule, at: now) }
  }

  /// Applies a limit that the scheduler has decided.
  func adopt(_ limit: TotalLimit.Effective) {
    guard limit != announcedLimit else { return }
    if limit.bytesPerSecond != announcedLimit.bytesPerSecond {
      for id in live.keys { live[id]?.speed = SpeedEstimator() }
      forgetSpeeds()
      transport.limitAll(toBytesPerSecond: limit.bytesPerSecond)
    }
    announcedLimit = limit
    observer(.limited(limit))
  }

  /// Replaces the settings of the user's queues.
  package func setQueues(_ settings: [QueueName: NamedQueues.Settings]) {
    apply { scheduler, now in scheduler.setQueues(settings, at: now) }
    announceQueues()
  }

  /// Reports the user's queues, if they changed.
  func announceQueues() {
    let names = scheduler.queueNames
    guard names != announcedQueues else { return }
    announcedQueues = names
    observer(.queues(names))
  }

  /// The machine has another time zone: the hours of queues and limits are read again.
  package func zoneChanged() { apply { scheduler, now in scheduler.zoneChanged(at: now) } }

  /// Sets the conditions that the user's own transfers need.
  package func setConditionsOfUser(_ conditions: Set<TransferCondition>) {
    apply { scheduler, now in scheduler.setConditionsOfUser(conditions, at: now) }
  }

  /// Holds back every transfer while the settings of this configuration file are unknown; nil lets
  /// them start.
  package func holdBack(forConfiguration path: String?) {
    apply { scheduler, now in scheduler.holdBack(forConfiguration: path, at: now) }
  }

  /// The user's queues, without the number of transfers that wait.
  package var queues: [QueueSnapshot] { scheduler.namedQueues() }

  /// Whether the settings have one of the user's queues; `default` always exists.
  package func hasQueue(_ name: QueueName) -> Bool { scheduler.hasQueue(name) }

  /// Moves transfers to one of the user's queues. Returns when the store has the change.
  package func assign(
    _ ids: [TransferID], to queue: QueueName
  ) async -> [TransferScheduler.ControlResult] {
    await withoutEviction {
      await load(ids)
      let now = clock.now()
      let (results, output) = scheduler.assign(ids, to: queue, at: now)
      for (id, result) in zip(ids, results) where result == .applied {
        live[id, default: begun(id)].note(HistoryText.queue(queue), at: now.wall)
      }
      await runDurably(output, at: now).value()
      return results
    }
  }
}
