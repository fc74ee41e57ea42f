#if Fleet
import Dispatch
import FoundationEssentials
import Glibc
import KettleEngine
import KettleFiles
import KettleFleet
import KettleModel
import KettleSystem
import Logging

/// The part of the service that takes part in a fleet, as requests of clients use it.
protocol FleetService: Sendable {
  /// How this machine stands in its fleet; nil if it is in none.
  var standing: FleetStanding? { get }

  /// Makes the tables of a new fleet. Does nothing if they are there.
  func initialize(database: String) async throws(FleetError)

  /// Joins a fleet, or changes how this machine takes part in it. Leaves a fleet that is at another
  /// address, or in which this machine has another name.
  func join(_ settings: FleetSettings) async throws(FleetError)

  /// Gives back what this machine has claimed, and forgets the fleet; returns when that is done.
  /// With `isDraining`, it first finishes what runs, and the answer comes at once.
  func leave(isDraining: Bool) async throws(FleetError)

  /// Examines the object stores among the roots of this machine.
  func destinations() async -> [FleetDestination]

  /// Asks the fleet's queue, on a thread that may block. Throws `notInitialized` if this machine is
  /// in no fleet.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (any FleetBoard) throws(FleetError) -> Answer
  ) async throws(FleetError) -> Answer
}

/// The service's part in a fleet. Until this machine joins one, it opens no connection and loads no
/// library.
final class FleetLink: FleetService, FleetWork {
  /// What it needs of its surroundings.
  struct Ports: Sendable {
    /// Opens a connection, which reaches the database with its first question.
    var open: @Sendable (_ database: String) throws(FleetError) -> any FleetConnection
    /// Makes the tables. Blocks.
    var initialize: @Sendable (_ database: String) throws(FleetError) -> Void
    var engine: TransferEngine
    var objects: any ObjectStore
    var files: any FileStorage
    /// The transfers of the session `fleet`, those that only the store has included.
    var transfers: @Sendable () async -> [EngineDetails]
    /// Where the settings are kept.
    var settingsPath: String
    /// Where files wait whose destination is an object store.
    var stagingDirectory: String
    /// The free bytes of a directory. Blocks.
    var freeBytes: @Sendable (String) -> Int64?
    var clock: any EngineClock
    /// nil if this service gives no files to other machines.
    var sharing: FleetSharing.Ports? = nil
  }

  private struct State {
    var run: FleetRun?
    /// For people, beside the one of the run.
    var board: (any FleetConnection)?
    var phase = Phase.working
    /// Those who wait until this machine has left.
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private enum Phase {
    case working
    case ended
  }

  private let ports: Ports
  private let logger: Logger
  private let state = Mutex(State())
  /// Questions for people are asked one after the other.
  private let questions = DispatchQueue(label: "kettle.fleet.questions")

  init(_ ports: Ports, logger: Logger) {
    self.ports = ports
    self.logger = logger
  }

  var standing: FleetStanding? { currentRun?.standing }

  // MARK: The life of the service

  func start() async {
    let contents = FileContents.read(path: ports.settingsPath, byteCountMax: 1 << 20)
    guard case .bytes(let bytes) = contents else { return }
    do {
      try await begin(JSONDecoder().decode(FleetSettings.self, from: Data(bytes)))
    } catch {
      logger.error("This machine cannot take part in its fleet", metadata: ["error": "\(error)"])
    }
  }

  func observe(_ event: EngineEvent) { currentRun?.work.observe(event) }

  func end() {
    let (run, waiting) = state.withLock { state in
      defer { state.waiting = [] }
      state.phase = .ended
      return (state.run, state.waiting)
    }
    run?.end()
    for one in waiting { one.resume() }
  }

  func makeDoor(_ information: ServiceInformation) -> any FleetDoor {
    let engine = ports.engine
    return FleetRequests(self, information, now: { engine.now })
  }

  // MARK: FleetService

  func initialize(database: String) async throws(FleetError) {
    try await blocking { [ports] () throws(FleetError) in try ports.initialize(database) }
  }

  func join(_ settings: FleetSettings) async throws(FleetError) {
    var settings = settings
    if let known = standing?.settings, known.database == settings.database,
      known.name == settings.name
    {
      settings.secret = known.secret
    }
    let checked = settings
    // A wrong address is reported now, and not by a membership that never begins.
    try await blocking { [ports] () throws(FleetError) in
      _ = try ports.open(checked.database).hosts()
    }
    if let known = standing?.settings, known.secret != settings.secret, let run = currentRun {
      await leave(run)
    }
    try replaceSettings(by: settings)?.end()
    try await begin(settings)
  }

  /// Stores the settings and returns the run that had the previous ones. Under the lock, so that a
  /// run that leaves meanwhile does not delete the new file.
  private func replaceSettings(by settings: FleetSettings) throws(FleetError) -> FleetRun? {
    try state.withLock { state throws(FleetError) in
      do {
        let bytes = [UInt8](try JSONEncoder().encode(settings))
        try FileReplacement.write(bytes, to: ports.settingsPath, mode: 0o600)
      } catch {
        throw .refused("\(ports.settingsPath): \(error)")
      }
      defer { state.run = nil }
      return state.run
    }
  }

  private var currentRun: FleetRun? { state.withLock { $0.run } }

  private func leave(_ run: FleetRun) async {
    await withCheckedContinuation { done in
      let isOver = state.withLock { state in
        let isOver = state.run !== run || state.phase == .ended
        if !isOver { state.waiting.append(done) }
        return isOver
      }
      if isOver { done.resume() } else { run.put(.leave) }
    }
  }

  func leave(isDraining: Bool) async throws(FleetError) {
    guard let run = currentRun else { throw .notInitialized }
    if isDraining { return run.put(.drain) }
    await leave(run)
  }

  func destinations() async -> [FleetDestination] {
    let prefixes = (standing?.settings.roots ?? []).compactMap { ObjectPrefix($0) }
    let found = try? await blocking { [ports] () throws(FleetError) in
      prefixes.map { prefix in
        do throws(TransferFailure) {
          let createsOnly = try ports.objects.createsOnly(
            Self.probeName, in: ObjectDestination(prefix))
          return FleetDestination(
            root: prefix.text, standing: createsOnly ? .createsOnly : .replaces)
        } catch {
          return FleetDestination(root: prefix.text, standing: .failed(error))
        }
      }
    }
    return found ?? []
  }

  /// The object by which `destinations` sees how a store behaves.
  private static let probeName = ".kettle-create-only"

  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (any FleetBoard) throws(FleetError) -> Answer
  ) async throws(FleetError) -> Answer {
    try await blocking { [self] () throws(FleetError) in
      let known = state.withLock { ($0.board, $0.run?.settings.database) }
      if let board = known.0 { return try body(board) }
      guard let database = known.1 else { throw .notInitialized }
      let board = try ports.open(database)
      state.withLock { $0.board = board }
      return try body(board)
    }
  }

  private func blocking<Answer: Sendable>(
    _ body: @escaping @Sendable () throws(FleetError) -> Answer
  ) async throws(FleetError) -> Answer {
    let result = await withCheckedContinuation { done in
      questions.async {
        done.resume(returning: Result { () throws(FleetError) in try body() })
      }
    }
    return try result.get()
  }

  // MARK: A membership

  private func begin(_ settings: FleetSettings) async throws(FleetError) {
    let table = try ports.open(settings.database)
    let publisher = FleetPublisher(
      objects: ports.objects, files: ports.files, stagingDirectory: ports.stagingDirectory)
    let root = settings.roots.first ?? "/"
    let run = FleetRun(
      settings, table: table, engine: ports.engine, publisher: publisher, clock: ports.clock,
      logger: logger, sharing: sharing(of: settings),
      freeBytes: { [ports] in ports.freeBytes(root) },
      hasLeft: { [weak self] in self?.hasLeft($0) })
    let (hasEnded, waiting) = state.withLock { state in
      defer { (state.run, state.board, state.waiting) = (run, nil, []) }
      return (state.phase == .ended, state.waiting)
    }
    for one in waiting { one.resume() }
    guard !hasEnded else { return }
    do throws(SystemError) {
      try run.start(with: await recovered(by: run))
    } catch {
      // Without its thread, the run never leaves.
      let waiting = state.withLock { state in
        defer { (state.run, state.waiting) = (nil, []) }
        return state.waiting
      }
      for one in waiting { one.resume() }
      throw .refused("\(error)")
    }
  }

  private func sharing(of settings: FleetSettings) -> FleetSharing? {
    guard let address = settings.shareAddress.flatMap({ ShareAddress($0) }) else { return nil }
    return ports.sharing.map { FleetSharing(at: address, $0, logger: logger) }
  }

  /// The transfers that an earlier start has left. Others of the session are removed: no claim
  /// belongs to them.
  private func recovered(by run: FleetRun) async -> [RecoveredTransfer] {
    var found: [RecoveredTransfer] = []
    var lost: [TransferID] = []
    for details in await ports.transfers() {
      let components = details.directory.split(separator: "/")
      guard let claim = components.last.flatMap({ ClaimDirectory($0) }),
        components.dropLast().last.map(String.init) == StagedFile.directoryName
      else {
        lost.append(details.snapshot.id)
        continue
      }
      let place = "/" + components.dropLast(2).joined(separator: "/")
      run.work.note(details.snapshot.id, of: claim, for: place)
      found.append(
        RecoveredTransfer(
          owner: claim, local: details.snapshot.id,
          state: run.work.end(of: details.snapshot)))
    }
    if !lost.isEmpty { await ports.engine.discard(lost) }
    return found
  }

  /// Does nothing if this machine has joined again meanwhile.
  private func hasLeft(_ run: FleetRun) {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
      guard state.run === run else { return nil }
      unlink(ports.settingsPath)
      defer { (state.run, state.board, state.waiting) = (nil, nil, []) }
      return state.waiting
    }
    run.end()
    guard let waiting else { return }
    if let sharing = ports.sharing { FleetSharing.forget(sharing) }
    for one in waiting { one.resume() }
  }
}
#endif
