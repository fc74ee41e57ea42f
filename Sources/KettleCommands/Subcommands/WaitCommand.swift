import ArgumentParser
import KettleControl
import KettleModel
import KettleSocket

/// `kettle wait`
struct WaitCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Wait until transfers are done.",
    discussion: """
      --all waits for all transfers that are unfinished when it starts; then every failed \
      transfer of the list counts, and the last message says how many of how many failed. A \
      transfer that is removed in the meantime, or that needs a login or a new link, counts as \
      failed. A message names each transfer that is paused, not started, or scheduled for later, \
      and each queue outside its hours, with the time where it is known; they are waited for, so \
      consider --timeout.

      Without ids and without --all nothing is waited for, and the exit code is 2: the ids may \
      come from a "kettle add" that failed.

      Exits with 0 when all are done or there was nothing to wait for, 1 when some failed \
      (with --all: when any transfer of the list has failed), 2 when no transfer was named or an \
      id is unknown, and 4 on timeout.

      Examples:
        kettle wait --all && poweroff
        kettle wait 3 4 --timeout 3600
        kettle wait $(kettle add https://example.org/a https://example.org/b)
      """)

  static var worksOnFleet: Bool { true }

  static var repeatedType: (any ExpressibleByArgument.Type)? { TransferID.self }

  @Argument(
    help: ArgumentHelp("The id of a transfer, as shown by \"kettle list\".", valueName: "id"),
    completion: .asking(.transfers))
  var idRuns: [ValueRun<TransferID>] = []

  @Flag(help: "All transfers that are unfinished now.")
  var all = false

  @Option(help: ArgumentHelp("The maximum number of seconds to wait.", valueName: "seconds"))
  var timeout: Double?

  /// How often collections are asked about: what their files do produces no event of theirs.
  private static let pollMilliseconds: Int64 = 2000

  private var ids: [TransferID] { idRuns.flatMap(\.values) }

  func run(in context: CommandContext) async throws -> ExitCode {
    if ids.isEmpty, !all { throw UsageError(.command(.nothingToWaitFor)) }
    if !ids.isEmpty, all { throw UsageError(.command(.bothIDsAndAll(command: "wait"))) }
    let limit = try timeout.map { try Seconds.milliseconds($0) }
    var watch = WaitWatch(ids: ids, console: context.console, clock: context.clock)
    let follower = EventFollower(
      context: context, address: context.address, client: "kettle wait", includesProgress: false,
      states: WaitWatch.states, gathersCompleted: true, pollMilliseconds: Self.pollMilliseconds,
      limitMilliseconds: limit)
    return try await follower.run { try await watch.handle($0) }
  }
}

/// Watches the transfers of `wait` until each has ended.
struct WaitWatch {
  /// The states in which a transfer ends or stands still. Transfers that continue by themselves
  /// produce nearly all events, and those are not needed.
  static let states: [TransferState] = [.idle, .scheduled, .waiting, .paused, .completed, .failed]

  /// More transfers are not described one by one.
  private static let describedCountMax = 100

  private let wanted: [TransferID]
  private let console: any Console
  private let clock: any CommandClock
  /// nil until the first reading of the list.
  private var unfinished: Set<TransferID>?
  private var failedCount = 0
  /// The latest connection.
  private var service: (any ServiceCalling)?
  /// The collections among them.
  private var collections: Set<TransferID> = []
  /// Transfers already reported as standing still; reported again only after they have continued.
  private var named: Set<TransferID> = []

  /// - Parameter ids: those to wait for; all that are unfinished if it is empty.
  init(ids: [TransferID], console: any Console, clock: any CommandClock) {
    wanted = ids
    self.console = console
    self.clock = clock
  }

  mutating func handle(_ update: EventFollower.Update) async throws -> ExitCode? {
    switch update {
    case .connected(let service), .eventsDropped(let service):
      self.service = service
      try await refresh(from: service)
    case .pollDue(let service):
      let asked = collections.intersection(unfinished ?? [])
      for id in try await describe(asked, service) { removed(id) }
    case .event(let event):
      guard unfinished?.contains(event.id) == true else { return nil }
      if event.kind == .removed { removed(event.id) } else { record(event.snapshot) }
    case .completed(let ids): unfinished?.subtract(ids)
    case .interrupted: return .interrupted
    case .limitReached:
      console.printError(Sentences.timedOut(unfinished: unfinished?.count ?? wanted.count))
      return .timedOut
    }
    guard unfinished?.isEmpty == true else { return nil }
    if wanted.isEmpty, let service { try await countFailed(in: service) }
    return failedCount > 0 ? .transferFailed : .done
  }

  /// Counts the failed transfers of the whole list that were not cleared from view.
  private mutating func countFailed(in service: any ServiceCalling) async throws {
    func count(_ states: [TransferState]?) async throws -> Int {
      let viewport = Viewport(
        filter: RowFilter(states: states, scope: .uncleared), sort: RowSort(key: .queue), first: 0,
        count: 0)
      return try await service.call(ListTransfers.self, viewport).matchingCount
    }
    failedCount = max(failedCount, try await count([.failed]))
    guard failedCount > 0 else { return }
    console.printError(
      Sentences.failed(failedCount, of: max(failedCount, try await count(nil))))
  }

  private mutating func refresh(from service: any ServiceCalling) async throws {
    if unfinished == nil, wanted.isEmpty { return try await loadUnfinished(from: service) }
    let isFirst = unfinished == nil
    let asked = unfinished ?? Set(wanted)
    unfinished = asked
    let unknown =
      asked.count <= Self.describedCountMax
      ? try await describe(asked, service) : try await readMany(asked, service, isFirst: isFirst)
    if isFirst {
      if !unknown.isEmpty { throw UnknownTransfers(ids: unknown) }
    } else {
      for id in unknown { removed(id) }
    }
  }

  /// Asks about each transfer. Returns the unknown ones.
  private mutating func describe(
    _ asked: Set<TransferID>, _ service: any ServiceCalling
  ) async throws -> [TransferID] {
    var unknown: [TransferID] = []
    for id in asked.sorted() {
      do {
        record(try await service.call(DescribeTransfer.self, .init(id: id)).snapshot)
      } catch let error as ControlError where error.code == .unknownTransfer {
        unknown.append(id)
      }
    }
    return unknown
  }

  /// Asks which ids are in which state, and about each transfer only where it has ended or stands
  /// still. Returns the unknown ones. What changes meanwhile arrives as an event.
  private mutating func readMany(
    _ asked: Set<TransferID>, _ service: any ServiceCalling, isFirst: Bool
  ) async throws -> [TransferID] {
    func wanted(in filter: RowFilter) async throws -> Set<TransferID> {
      asked.intersection(try await service.call(ListIDs.self, .init(filter: filter)).runs.ids)
    }
    let completed = try await wanted(in: RowFilter(states: [.completed]))
    let others = RowFilter(states: Self.states.filter { $0 != .completed })
    let standing = try await wanted(in: others)
    let known = try await wanted(in: RowFilter())
    unfinished?.subtract(completed)
    var unknown = asked.subtracting(known)
    if standing.count <= Self.describedCountMax {
      unknown.formUnion(try await describe(standing, service))
    } else {
      try await ListReader(service: service, filter: others).forEachPage { rows in
        for row in rows where asked.contains(row.id) { record(row) }
      }
    }
    if isFirst {
      try await reportQueues(of: service) { queue in
        try await !wanted(in: RowFilter(states: [.queued], queue: queue)).isEmpty
      }
    }
    return unknown.sorted()
  }

  /// The ids suffice for transfers that continue by themselves.
  private mutating func loadUnfinished(from service: any ServiceCalling) async throws {
    let all = RowFilter(states: TransferState.allCases.filter { !$0.isFinished })
    let waitedFor = Set(try await service.call(ListIDs.self, .init(filter: all)).runs.ids)
    unfinished = waitedFor
    if waitedFor.isEmpty { return console.printNote(Sentences.nothingToWaitFor) }
    let still = RowFilter(states: Self.states.filter { !$0.isFinished })
    try await ListReader(service: service, filter: still).forEachPage { rows in
      for row in rows where waitedFor.contains(row.id) { record(row) }
    }
    try await reportQueues(of: service) { _ in true }
  }

  /// Names the queues that are outside their hours, and a configuration that holds everything back:
  /// the transfers that wait in them may be many.
  ///
  /// - Parameter isWanted: whether a queue contains transfers to wait for.
  private func reportQueues(
    of service: any ServiceCalling, where isWanted: (QueueName) async throws -> Bool
  ) async throws {
    let first = Viewport(filter: RowFilter(states: [.queued]), count: 1)
    guard let row = try await service.call(ListTransfers.self, first).rows.first else { return }
    if let heldBack = row.heldBack, heldBack.cause == .configuration {
      return console.printError(Sentences.heldBackByConfiguration(heldBack))
    }
    for queue in try await service.call(ListQueues.self, .init()).queues
    where queue.queuedCount ?? 0 > 0 && !queue.isOpen {
      guard try await isWanted(queue.name) else { continue }
      console.printNote(Sentences.waitsForHours(queue, clock))
    }
  }

  private mutating func record(_ row: TransferSnapshot) {
    if row.collection != nil { collections.insert(row.id) }
    switch TransferOutcome(row) {
    case .completed: unfinished?.remove(row.id)
    case .failed(let sentence), .needsUser(let sentence): failed(row.id, sentence)
    case .idle: reportStandstill(row)
    case .unfinished:
      switch row.state {
      case .paused, .scheduled: reportStandstill(row)
      case .queued
      where row.heldBack?.cause == .queueHours || row.heldBack?.cause == .configuration:
        reportStandstill(row)
      case .idle, .queued, .running, .waiting, .verifying, .completed, .failed:
        named.remove(row.id)
      }
    }
  }

  private mutating func reportStandstill(_ row: TransferSnapshot) {
    guard named.insert(row.id).inserted else { return }
    console.printNote(Sentences.standsStill(row, clock))
  }

  private mutating func removed(_ id: TransferID) {
    failed(id, Sentences.removedMeanwhile(id))
  }

  private mutating func failed(_ id: TransferID, _ sentence: String) {
    guard unfinished?.remove(id) != nil else { return }
    failedCount += 1
    console.printError(sentence)
  }
}
