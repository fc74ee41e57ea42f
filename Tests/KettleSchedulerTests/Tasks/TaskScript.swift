import KettleModel
import KettleScheduler

let app = SessionID(rawValue: "app")

/// A download in a program's session, kept for the program.
func taskSpec(
  _ text: String = "http://files.example/a.iso", session: SessionID = app,
  _ change: (inout TaskOptions) -> Void = { _ in }
) -> TransferSpec {
  var spec = TransferSpec(url: url(text))
  spec.session = session
  var options = TaskOptions(kind: .download)
  change(&options)
  spec.task = options
  return spec
}

extension SchedulerScript {
  @discardableResult
  mutating func cancel(_ id: TransferID, keepsBytes: Bool) -> TransferScheduler.ControlResult {
    control(.cancel(keepsBytes: keepsBytes), id)
  }

  @discardableResult
  mutating func acknowledge(_ id: TransferID, secret: String? = nil) -> ResumeToken? {
    let (tokens, output) = scheduler.acknowledge([id], keepingBytesFor: secret.map { [$0] })
    run(output)
    return tokens.first
  }

  @discardableResult
  mutating func makeToken(_ id: TransferID, secret: String) -> ResumeToken? {
    let (tokens, output) = scheduler.makeTokens(for: [id], secrets: [secret])
    run(output)
    return tokens.first
  }

  mutating func answer(_ id: TransferID, _ challenge: ServerChallenge, _ answer: ChallengeAnswer) {
    run(scheduler.answerChallenge(of: id, challenge, answer, at: now).1)
  }

  mutating func conditions(_ met: Set<TransferCondition>) {
    run(scheduler.conditionsChanged(met, at: now))
  }

  mutating func update(_ id: TransferID, _ change: (inout TaskChanges) -> Void) {
    var changes = TaskChanges()
    change(&changes)
    run(scheduler.updateTask(id, changes, at: now).1)
  }

  /// Kills the service and restarts it from the store.
  mutating func restart() {
    var store: [TransferID: TransferRecord] = [:]
    for change in changes {
      switch change {
      case .put(let record): store[record.id] = record
      case .progress(let id, let durable): store[id]?.resumeData?.durable = durable
      case .remove(let id): store[id] = nil
      case .putSession, .removeSession, .clearFinished, .uncover, .bin, .hostServed,
        .rememberHost, .hook, .digests, .forgetDigests, .members, .syncMembers, .leaveOutMembers:
        break
      }
    }
    scheduler = TransferScheduler(
      lastID: store.keys.max() ?? TransferID(rawValue: 0),
      lastTaskIdentifiers: [app: scheduler.lastTaskIdentifier(of: app)])
    actions = []
    run(scheduler.recover(store.values.sorted { $0.id < $1.id }, at: now))
  }

  /// A task whose body is being received, with this many bytes recorded.
  mutating func flowingTask(
    _ spec: TransferSpec = taskSpec(), durable byteCount: Int64, entityTag: String? = "\"v1\""
  ) -> (TransferID, AttemptID) {
    let id = add(spec)
    guard let attempt else { preconditionFailure("The task of the test does not run") }
    var headers = ["Content-Length": "1000"]
    headers["ETag"] = entityTag
    head(attempt, 200, headers)
    opened(attempt, partial(total: 1000, entityTag: entityTag))
    synced(id, byteCount)
    return (id, attempt)
  }

  /// A cancelled task that kept its bytes.
  mutating func failedTask(
    durable byteCount: Int64 = 400, entityTag: String? = "\"v1\"",
    _ spec: TransferSpec = taskSpec()
  ) -> TransferID {
    let (id, attempt) = flowingTask(spec, durable: byteCount, entityTag: entityTag)
    cancel(id, keepsBytes: true)
    settled(attempt, .cancelled, durable: byteCount)
    return id
  }

  var deletedFiles: [FinishedFile] {
    actions.compactMap {
      if case .discardFinishedFile(_, let file, _) = $0 { file } else { nil }
    }
  }
}
