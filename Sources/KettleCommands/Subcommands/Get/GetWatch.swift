import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// Watches the transfers of `get` to their end.
struct GetWatch {
  /// What is printed.
  enum Form {
    /// Progress, and the path of each finished file.
    case progress
    /// The path of each finished file.
    case quiet
    /// The finished transfers, and nothing else.
    case json
  }

  private let ids: [TransferID]
  private let context: CommandContext
  private let form: Form
  private let look: Look
  private let delivery: StandardOutputDelivery?
  /// Whether the transfers go on when the command is interrupted.
  private let leavesRunning: Bool
  private var unfinished: Set<TransferID>
  /// The finished ones, for JSON.
  private var finished: [TransferID: TransferSnapshot] = [:]
  /// Whether a transfer has failed, or a request was refused.
  private var hasFailed: Bool
  /// Whether it was said that the service cannot use its configuration file.
  private var saysHeldBack = false
  /// The latest connection.
  private var service: (any ServiceCalling)?
  private var progress: GetProgress
  /// The reader of the pipe has gone; the exit code still counts.
  private var hasReader = true

  /// How the command learns of progress that is not a change of state.
  enum ProgressSource {
    case none, polling
    /// Events while it runs, polling while it does not.
    case events
  }

  var progressSource: ProgressSource {
    if delivery?.streams == true { return .events }
    switch form {
    case .quiet, .json: return .none
    case .progress: return context.console.isTerminal(.error) ? .events : .polling
    }
  }

  init(
    ids: [TransferID], context: CommandContext, form: Form,
    delivery: StandardOutputDelivery? = nil, leavesRunning: Bool = true, hasFailed: Bool = false
  ) {
    self.hasFailed = hasFailed
    self.ids = ids
    self.context = context
    self.form = form
    self.delivery = delivery
    self.leavesRunning = leavesRunning
    unfinished = Set(ids)
    look = context.look(of: .error)
    progress = GetProgress(ids, in: context)
  }

  mutating func handle(_ update: EventFollower.Update) async throws -> ExitCode? {
    switch update {
    case .connected(let service), .pollDue(let service), .eventsDropped(let service):
      self.service = service
      try await refresh(from: service)
    case .event(let event):
      guard unfinished.contains(event.id) else { return nil }
      switch event.kind {
      case .removed: end(event.id, Sentences.removedMeanwhile(event.id))
      case .added, .stateChanged, .progress: try record(event.snapshot)
      }
    case .interrupted:
      try? progress.makeRoom()
      if delivery == nil, leavesRunning {
        context.console.printNote(Sentences.leftRunning(ids.filter(unfinished.contains)))
      }
      await removeDelivered()
      return .interrupted
    case .completed, .limitReached: return nil
    }
    guard unfinished.isEmpty else { return nil }
    await removeDelivered()
    try printJSON()
    printSummary()
    return hasFailed ? .transferFailed : .done
  }

  /// Looks at each that has not ended. On the list they may be far apart.
  private mutating func refresh(from service: any ServiceCalling) async throws {
    for id in ids where unfinished.contains(id) {
      do {
        try record(try await service.call(DescribeTransfer.self, .init(id: id)).snapshot)
      } catch let error as ControlError where error.code == .unknownTransfer {
        end(id, Sentences.removedMeanwhile(id))
      }
    }
  }

  private mutating func record(_ row: TransferSnapshot) throws {
    if row.heldBack?.cause == .configuration, !saysHeldBack, let heldBack = row.heldBack {
      saysHeldBack = true
      try? progress.makeRoom()
      context.console.printError(Sentences.heldBackByConfiguration(heldBack))
    }
    do {
      try delivery?.advance(row)
    } catch ConsoleError.readerGone {
      return abandon(row.id)
    } catch let problem as DeliveryProblem {
      return end(row.id, Sentences.of(problem))
    }
    switch TransferOutcome(row) {
    case .unfinished: try show(row)
    case .completed:
      try show(row)
      try finish(row)
    case .failed(let sentence), .needsUser(let sentence):
      finished[row.id] = row
      end(row.id, sentence)
    case .idle: end(row.id, Sentences.stoppedMeanwhile(row.id))
    }
  }

  private mutating func show(_ row: TransferSnapshot) throws {
    guard form == .progress, hasReader else { return }
    do {
      try progress.show(row, at: context.clock.now())
    } catch ConsoleError.readerGone {
      hasReader = false
    }
  }

  private mutating func finish(_ row: TransferSnapshot) throws {
    unfinished.remove(row.id)
    finished[row.id] = row
    do {
      if form == .progress { try progress.makeRoom(ending: row.id) }
      guard hasReader, form != .json else { return }
      if row.freshStart == .otherBeginning, form == .progress {
        context.console.printNote(Sentences.notContinued(row))
      }
      if let coding = row.contentCoding, form == .progress {
        context.console.printNote(Sentences.keptCompressed(row, coding))
      }
      if let delivery {
        try delivery.finish()
      } else if let path = row.path {
        try context.console.printLine(path.sanitizedForDisplay(limit: 4096))
      }
    } catch ConsoleError.readerGone {
      hasReader = false
    } catch let problem as DeliveryProblem {
      end(row.id, Sentences.of(problem))
    }
  }

  /// The file was for a reader that has gone.
  private mutating func abandon(_ id: TransferID) {
    hasReader = false
    unfinished.remove(id)
  }

  private mutating func end(_ id: TransferID, _ sentence: String) {
    unfinished.remove(id)
    hasFailed = true
    if form == .progress { try? progress.makeRoom(ending: id) }
    context.console.printError(sentence) {
      form == .json ? $0 : look.painted($0, .problem)
    }
  }

  /// One object for one URL, else an array.
  private func printJSON() throws {
    guard form == .json, hasReader else { return }
    let rows = ids.compactMap { finished[$0] }
    if ids.count == 1 {
      if let row = rows.first { try context.console.printLine(row.json.text) }
    } else {
      try context.console.printLine(JSONValue.array(rows.map(\.json)).text)
    }
  }

  private func printSummary() {
    guard form == .progress, hasReader,
      let summary = progress.summary(at: context.clock.now())
    else { return }
    context.console.printNote(summary)
  }

  /// Removes the temporary file and its transfer, which is useless without it.
  private func removeDelivered() async {
    guard let delivery else { return }
    delivery.removeDirectory()
    _ = try? await service?.call(
      ControlTransfers.self, .init(control: .remove, selection: .ids(ids)))
  }
}
