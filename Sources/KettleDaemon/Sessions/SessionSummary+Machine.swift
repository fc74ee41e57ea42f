import KettleControl
import KettleModel
import KettleScheduler

extension SessionSummary {
  init(_ machine: SessionMachine, _ tally: TaskTally, at now: WallTime) {
    let counts = tally.counts.map { ($0.key.rawValue, $0.value) }
    self.init(
      id: machine.record.id, processID: machine.holder?.processID,
      lastSeenAt: machine.holder == nil ? machine.record.lastSeenAt : now,
      launch: machine.record.options.launch,
      sendsLaunchEvents: machine.record.options.sendsLaunchEvents,
      counts: Dictionary(uniqueKeysWithValues: counts), unreportedCount: tally.unreportedCount,
      notice: machine.trouble.map(LaunchNotice.init))
  }
}

extension LaunchNotice {
  init(_ trouble: LaunchTrouble) {
    switch trouble.problem {
    case .notRun(let name): self.init(problem: .notRun, at: trouble.at, detail: name)
    case .ended(let how): self.init(problem: .ended, at: trouble.at, detail: how)
    case .silent: self.init(problem: .silent, at: trouble.at)
    }
  }
}
