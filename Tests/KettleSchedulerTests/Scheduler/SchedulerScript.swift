import KettleModel
import KettleScheduler

/// Sends events to a scheduler and records its actions, with a manual clock.
struct SchedulerScript {
  var scheduler: TransferScheduler
  var now = Moment(
    monotonic: MonotonicTime(milliseconds: 1_000_000),
    wall: WallTime(millisecondsSince1970: 1_700_000_000_000))
  /// Every action so far, in order. Actions after a commit follow immediately, because this store
  /// commits immediately.
  var actions: [TransferAction] = []
  var changes: [JournalChange] = []
  /// The hooks that became due so far.
  var hooks: [HookDue] = []
  /// What a comparison of durable bytes finds; nil leaves the answer to the test.
  var damaged: [ByteRange]? = []
  /// The reads of the queue so far.
  var queueReads: [QueueRead] = []

  init(limits: TransferQueue.Limits = TransferQueue.Limits()) {
    scheduler = TransferScheduler(limits: limits)
  }

  mutating func advance(milliseconds: Int64) {
    now.monotonic = now.monotonic.advanced(byMilliseconds: milliseconds)
    now.wall = now.wall.advanced(byMilliseconds: milliseconds)
  }

  mutating func run(_ output: SchedulerOutput) {
    var output = output
    scheduler.noteAllDone(&output)
    hooks += output.hooks
    changes += output.changes
    if let request = output.queueRead { queueReads.append(request) }
    for action in output.now + output.afterCommit {
      // Unless a test says otherwise, the disk has kept what is durable.
      if let damaged, case .checkBlocks(let id, let operation, _) = action {
        handle(.file(id, .blocksChecked(damaged: damaged, by: operation)))
      } else {
        actions.append(action)
      }
    }
  }

  mutating func handle(_ event: TransferScheduler.Event) {
    run(scheduler.handle(event, at: now))
  }

  @discardableResult
  mutating func add(_ spec: TransferSpec) -> TransferID {
    let (ids, output) = scheduler.add([spec], at: now)
    run(output)
    run(scheduler.admit(output.changes, at: now).1)
    return ids[0]
  }

  @discardableResult
  mutating func control(_ control: TransferScheduler.Control, _ id: TransferID)
    -> TransferScheduler.ControlResult
  {
    let (results, output) = scheduler.control(control, [id], at: now)
    run(output)
    return results[0]
  }

  mutating func head(
    _ attempt: AttemptID, _ status: Int, _ headers: [String: String] = [:],
    from reach: NetworkReach = .world, statesLength: Bool = true
  ) {
    handle(
      .attempt(
        attempt,
        .headReceived(Self.head(status, headers, statesLength: statesLength), from: reach)))
  }

  /// Makes a head. A part states its length, as servers do, unless `headers` frames it otherwise.
  static func head(
    _ status: Int, _ headers: [String: String], statesLength: Bool = true
  ) -> ResponseHead {
    var headers = headers
    if statesLength, status == 206, headers["Transfer-Encoding"] == nil,
      headers["Content-Length"] == nil,
      case .part(let range, _)? = headers["Content-Range"].flatMap(ContentRange.init)
    {
      headers["Content-Length"] = "\(range.byteCount)"
    }
    return ResponseHead(
      status: status, headers: headers.map { HeaderField(received: $0.key, $0.value) })
  }

  mutating func opened(_ attempt: AttemptID, _ resumeData: ResumeData) {
    guard let id = scheduler.owner(of: attempt) else { return }
    handle(.body(id, .opened(resumeData, by: attempt)))
    handle(.body(id, .recorded))
  }

  mutating func synced(_ id: TransferID, _ byteCount: Int64) {
    handle(.body(id, .synced(ByteRangeSet(prefix: byteCount))))
  }

  /// Ends the attempt and, if it was the last one, closes the body with its bytes durable.
  mutating func settled(
    _ attempt: AttemptID, _ outcome: AttemptOutcome, durable byteCount: Int64? = nil
  ) {
    ended(attempt, outcome, upTo: byteCount)
    closed(durable: byteCount.map { ByteRangeSet(prefix: $0) })
  }

  /// Ends every attempt that was cancelled, and closes its body.
  mutating func settledAll() {
    for case .cancelAttempt(let attempt) in actions
    where scheduler.owner(of: attempt) != nil {
      settled(attempt, .cancelled)
    }
  }

  mutating func ended(_ attempt: AttemptID, _ outcome: AttemptOutcome, upTo: Int64? = nil) {
    handle(.attempt(attempt, .ended(outcome, receivedUpTo: upTo)))
  }

  /// Closes the body of the last `closeBody`, unless it is closed already.
  mutating func closed(durable: ByteRangeSet?) {
    let closing = actions.compactMap { action -> (TransferID, OperationID)? in
      if case .closeBody(let id, let operation) = action { (id, operation) } else { nil }
    }
    guard let (id, operation) = closing.last, operation != lastClosed else { return }
    lastClosed = operation
    let body = durable.map { ClosedBody(durable: $0, modifiedNanoseconds: modified) }
    handle(.body(id, .closed(.success(body), by: operation)))
  }

  private var lastClosed: OperationID?
  /// The recorded time of the last write to the partial file.
  let modified: Int64 = 5

  var discarded: [ResumeData] = []

  /// Completes the pending deletions of partial files.
  mutating func discards() {
    for case .discardPartialFile(let id, let operation, let resumeData) in actions
    where !discarded.contains(resumeData) {
      discarded.append(resumeData)
      handle(.file(id, .discarded(by: operation)))
    }
  }

  mutating func timePasses() { handle(.timePassed) }

  func state(_ id: TransferID) -> TransferState? { scheduler.machines[id]?.visibleState }
  func record(_ id: TransferID) -> TransferRecord? { scheduler.machines[id]?.record }

  /// The attempt that began last.
  var attempt: AttemptID? { plan?.attempt }

  var plan: AttemptPlan? {
    for case .beginAttempt(_, let plan) in actions.reversed() { return plan }
    return nil
  }

  var bodyPlan: BodyPlan? {
    for case .openBody(_, _, let plan) in actions.reversed() { return plan }
    return nil
  }

  var lastAction: TransferAction? { actions.last }
}

func url(_ text: String) -> TransferURL {
  guard case .success(let parsed) = TransferURL.parse(text) else {
    preconditionFailure("The test has a URL that cannot be parsed: \(text)")
  }
  return parsed.url
}

func spec(_ text: String = "http://files.example/a.iso") -> TransferSpec {
  var spec = TransferSpec(url: url(text))
  spec.directory = "/downloads"
  return spec
}

func partial(
  durable byteCount: Int64 = 0, total: Int64? = 1000, entityTag: String? = "\"v1\""
) -> ResumeData {
  ResumeData(
    partialPath: "/downloads/a.iso.part", device: 1, inode: 7,
    durable: ByteRangeSet(prefix: byteCount),
    totalByteCount: total,
    validator: entityTag.map {
      Validator(entityTag: $0, lastModified: nil, isLastModifiedStrong: false)
    }, finalName: "a.iso")
}
