import KettleCurl
import KettleDaemon
import KettleModel
import KettleScheduler
import KettleStore
import KettleSystem
import Logging
import Testing
import TestSupport

@testable import KettleEngine
@testable import KettleFiles

/// The real engine, network, files and store in a directory of its own, and a scripted origin.
///
///     let world = try await WireWorld()
///     world.origin.serve(OriginBehavior(body), at: "/file.bin")
///     let row = try await world.download("/file.bin")
///     world.expectFile(of: row, is: body)
final class WireWorld: Sendable {
  let origin: ScriptedOrigin
  let home: WireHome
  let told = Monitor(Told())
  private let pass: WorldGate.Pass
  private let configuration: TransferEngine.Configuration
  private let fileCalls: FileCalls
  private let network: CurlSettings
  private let running: Mutex<Running>

  private struct Running: Sendable {
    var engine: TransferEngine
    var journal: CuttableJournal
  }

  /// - Parameters:
  ///   - acceptsHoles: for large files that the test makes of holes.
  ///   - network: the known names, addresses and proxies.
  ///   - change: changes the configuration, whose retries and timeouts are short here.
  init(
    acceptsHoles: Bool = false, network: CurlSettings = WireWorld.plainNetwork,
    _ change: (inout TransferEngine.Configuration) -> Void = { _ in }
  ) async throws {
    pass = await WorldGate.shared.enter()
    origin = try ScriptedOrigin()
    home = try WireHome()
    var configuration = TransferEngine.Configuration(documentsDirectory: home.documents)
    configuration.retryPolicy.firstDelayMilliseconds = 10
    configuration.retryPolicy.delayMillisecondsMax = 80
    configuration.timeouts.connectMilliseconds = 2000
    configuration.timeouts.idleMilliseconds = 3000
    configuration.timeouts.headMilliseconds = 3000
    configuration.timeouts.slowMilliseconds = 3000
    configuration.checkpoints.slowMilliseconds = 100
    // By default the loopback is too fast for any file here to get a second connection.
    configuration.limits.division.speedMilliseconds = 0
    configuration.limits.division.aloneMillisecondsMax = 0
    configuration.limits.division.aloneBytesPerSecondMin = .max
    change(&configuration)
    self.configuration = configuration
    var calls = FileCalls.kernel
    if acceptsHoles { calls.firstHole = { _ in -1 } }
    fileCalls = calls
    self.network = network
    running = Mutex(try Self.assemble(configuration, calls, network, home, told))
    try await start()
  }

  static let plainNetwork = CurlSettings(
    userAgent: "Kettle/wire", certificates: TrustedCertificates(environment: [:]), proxies: .none)

  var engine: TransferEngine { running.withLock { $0.engine } }

  // MARK: Restarting

  enum End: Sendable {
    /// As when the service receives the command to stop.
    case shutDown
    /// Whatever is not in the store is lost; the files stay as they are.
    case crash
  }

  /// Ends the engine and starts another one over the same store and directory.
  ///
  /// - Parameter meanwhile: is called while no engine runs.
  func restart(after end: End, meanwhile: () throws -> Void = {}) async throws {
    let old = running.withLock { $0 }
    if end == .crash { old.journal.cut() }
    await old.engine.shutDown()
    // A process that has ended makes no more files.
    await old.engine.files.alone { _ in }
    try old.journal.close()
    told.update { $0 = Told() }
    try meanwhile()
    let new = try Self.assemble(configuration, fileCalls, network, home, told)
    running.withLock { $0 = new }
    try await start()
  }

  private func start() async throws {
    try await engine.start()
    await engine.setCadence(.live)
  }

  private static func assemble(
    _ configuration: TransferEngine.Configuration, _ calls: FileCalls,
    _ settings: CurlSettings, _ home: WireHome,
    _ told: Monitor<Told>
  ) throws -> Running {
    let clock = ServiceClock()
    let opened = try StoreOpening.open(home.storePath, at: clock.now().wall)
    let journal = CuttableJournal(opened.journal)
    let files = POSIXFileStorage(
      documentsDirectory: home.documents, calls: calls, unrecordedPath: home.unrecordedFilesPath)
    let engine = try TransferEngine(
      configuration: configuration,
      ports: TransferEngine.Ports(
        journal: journal, archive: journal.archive,
        files: files, clock: clock,
        makeTransport: { events throws(TransferFailure) in
          try CurlTransport(events: events, settings: settings)
        }),
      logger: Logger(label: "wire") { _ in SwiftLogNoOpLogHandler() },
      observer: { event in told.update { $0.note(event) } })
    return Running(engine: engine, journal: journal)
  }
}

// MARK: - Adding and waiting

extension WireWorld {
  func add(
    _ path: String, _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferID {
    try await add(origin.url(path), change)
  }

  func add(
    _ url: TransferURL, _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferID {
    var spec = TransferSpec(url: url)
    change(&spec)
    return try #require(await engine.add([spec]).first)
  }

  /// Downloads a file from the origin, and returns its final row.
  func download(
    _ path: String, _ change: (inout TransferSpec) -> Void = { _ in }
  ) async throws -> TransferSnapshot {
    try await end(of: add(path, change))
  }

  func pause(_ id: TransferID) async { _ = await engine.control(.pause, [id]) }
  func start(_ id: TransferID) async { _ = await engine.control(.start, [id]) }

  var now: WallTime { ServiceClock().now().wall }

  func row(of id: TransferID) -> TransferSnapshot? { told.read { $0.rows[id] } }

  func record(of id: TransferID) async throws -> TransferRecord {
    try #require(await engine.details(of: id)).record
  }

  /// Waits until the store has such a record: a row shows what a crash may still lose.
  func waitForStored(
    _ id: TransferID, until isMet: (TransferRecord) -> Bool
  ) async throws {
    let archive = running.withLock { $0.journal.archive }
    for _ in 0..<200_000 {
      if try archive.records([id]).first.map(isMet) == true { return }
      await Task.yield()
    }
    Issue.record("the store does not get what the row of \(id.rawValue) shows")
  }

  /// Waits until the transfer is completed, has failed, or waits for the user.
  func end(of id: TransferID, budgetMilliseconds: Int64 = 20_000) async throws
    -> TransferSnapshot
  {
    try await wait("the end of \(id.rawValue)", for: id, budgetMilliseconds: budgetMilliseconds) {
      $0.state.isFinished || $0.reason?.needsUser == true
    }
  }

  @discardableResult
  func wait(
    _ what: String, for id: TransferID, budgetMilliseconds: Int64 = 20_000,
    until isMet: @escaping @Sendable (TransferSnapshot) -> Bool
  ) async throws -> TransferSnapshot {
    do {
      let told = try await told.wait(for: what, budgetMilliseconds: budgetMilliseconds) {
        $0.rows[id].map(isMet) ?? false
      }
      return try #require(told.rows[id])
    } catch let spent as BudgetSpent {
      throw InVain(spent: spent, requests: origin.requests)
    }
  }
}

/// An expected event did not happen; the requests until then help to explain why.
struct InVain: Error, CustomStringConvertible {
  var spent: BudgetSpent
  var requests: [OriginRequest]

  var description: String {
    let wire = requests.suffix(20).map { request in
      let range = request.value(of: "Range") ?? "all"
      return "#\(request.number) \(request.path) \(range) sent \(request.bytesSent)"
    }
    return "\(spent)\n" + wire.joined(separator: "\n")
  }
}

// MARK: - What must hold in the end

extension WireWorld {
  /// Expects that the transfer is completed, that its file equals `body`, and that no other file
  /// exists except `others`.
  func expectFile(
    of row: TransferSnapshot, is body: SeededBody, beside others: [String] = [],
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(row.state == .completed, "\(told.read { $0 }); \(wire)", sourceLocation: location)
    guard row.state == .completed, let path = row.path else { return }
    let difference = body.difference(fromFileAt: path)
    #expect(difference == nil, "\(wire)", sourceLocation: location)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    #expect(home.names == (others + [name]).sorted(), sourceLocation: location)
  }

  /// The requests with their ranges, for failure messages.
  var wire: String {
    origin.requests.map { request in
      let range = request.value(of: "Range") ?? "all"
      let condition = request.value(of: "If-Range").map { " if " + $0 } ?? ""
      return "#\(request.number) \(range)\(condition) sent \(request.bytesSent)"
    }.joined(separator: "; ")
  }

  /// Expects that no file has the final name, and that the durable bytes of the transfer are
  /// `body`'s.
  func expectNoFile(
    of id: TransferID, only body: SeededBody, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    #expect(home.finalNames == [], sourceLocation: location)
    guard let held = try await record(of: id).resumeData else { return }
    for range in held.durable.ranges {
      let isRight = body.matches(fileAt: held.partialPath, in: range.lower..<range.upper)
      #expect(isRight, "bytes \(range.lower)..<\(range.upper); \(wire)", sourceLocation: location)
    }
  }
}
