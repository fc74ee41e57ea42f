import KettleModel
import KettleScheduler
import SeededNumbers

/// The actions of programs in the random order of events.
enum TaskOrder {
  static func spec(
    _ text: String, _ tokens: [ResumeToken], _ random: inout SeededGenerator
  ) -> TransferSpec {
    var spec = taskSpec(text)
    // Includes used tokens and those of removed transfers.
    if Bool.random(using: &random) { spec.task?.resumes = tokens.randomElement(using: &random) }
    if Int.random(in: 0...3, using: &random) == 0 { spec.task?.conditions = [.mainsPower] }
    if Int.random(in: 0...3, using: &random) == 0 { spec.beginning = .idle }
    return spec
  }

  static func ask(
    on scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator,
    at now: Moment
  ) {
    let tasks = scheduler.machines.values.filter(\.isTask).map(\.record).sorted { $0.id < $1.id }
    guard let task = tasks.randomElement(using: &random) else { return }
    switch Int.random(in: 0...9, using: &random) {
    case 0, 1:
      let control = TransferScheduler.Control.cancel(keepsBytes: Bool.random(using: &random))
      world.run(scheduler.control(control, [task.id], at: now).1)
    case 2...5: acknowledge(task.id, on: &scheduler, &world, &random)
    case 6, 7:
      guard let challenge = task.task?.challenge else { return }
      let answers: [ChallengeAnswer] = [
        .login(Login(user: "u", password: "p")), .standard, .cancel, .trust,
      ]
      guard let one = answers.randomElement(using: &random) else { return }
      world.run(scheduler.answerChallenge(of: task.id, challenge, one, at: now).1)
    default:
      let met: Set<TransferCondition> = Bool.random(using: &random) ? [.mainsPower] : []
      world.run(scheduler.conditionsChanged(met, at: now))
    }
  }

  private static func acknowledge(
    _ id: TransferID, on scheduler: inout TransferScheduler, _ world: inout SimulatedWorld,
    _ random: inout SeededGenerator
  ) {
    guard let machine = scheduler.machines[id] else { return }
    let isEnded = machine.isFinalTask && machine.isAtRest
    let keeps = Bool.random(using: &random)
    let (tokens, output) = scheduler.acknowledge([id], keepingBytesFor: keeps ? ["s\(id)"] : nil)
    world.run(output)
    world.tokens += tokens
    if tokens.isEmpty, isEnded { world.acknowledged.insert(id) }
  }

  /// Files on the disk that no record refers to. A crash may leave a file whose record was not
  /// committed, so only runs without a crash are checked.
  static func leftovers(_ scheduler: TransferScheduler, _ world: SimulatedWorld) -> [String] {
    guard world.crashCount == 0 else { return [] }
    var problems: [String] = []
    let records = scheduler.machines.values.map(\.record)
    let known = Set(
      records.compactMap { $0.resumeData?.inode }
        + records.compactMap { $0.resumeData?.setAside?.inode }
    )
    for inode in world.partials.keys.sorted() where !known.contains(inode) {
      problems.append("partial file \(inode) belongs to nothing")
    }
    let finished = Set(records.compactMap { $0.finishedFile?.identity?.inode })
    for inode in world.held.sorted()
    where world.finished.contains(inode) && !finished.contains(inode) {
      problems.append("held file \(inode) belongs to nothing")
    }
    for id in world.acknowledged.sorted() where scheduler.machines[id] != nil {
      problems.append("\(id) is still there after its acknowledge")
    }
    return problems
  }
}
