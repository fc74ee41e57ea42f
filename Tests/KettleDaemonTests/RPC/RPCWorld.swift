import FoundationEssentials
import Glibc
import KettleConfiguration
import KettleControl
import KettleEngine
import KettleModel
import KettleRPC
import KettleScheduler
import KettleSystem
import Logging
import TestSupport

@testable import KettleDaemon

/// The methods of the RPC over fakes, in a directory of its own.
final class RPCWorld: Sendable {
  let engine: TransferEngine
  let methods: RPCMethods
  let ledger: RPCLedger
  let journal: InMemoryJournal
  let directory: String
  private let told: Monitor<[String]>

  /// - Parameters:
  ///   - journal: the journal of the previous service, to test a restart.
  ///   - records: what else the journal has, for the directory of the world.
  init(
    _ journal: InMemoryJournal = InMemoryJournal(),
    with records: (_ directory: String) throws -> [TransferRecord] = { _ in [] }
  ) async throws {
    self.journal = journal
    var template = Array("/tmp/krpc-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemError(errno) }
    directory = String(cString: made)
    try journal.commit(try records(directory).map(JournalChange.put))
    let clock = ManualClock()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let broadcaster = Broadcaster(
      freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { nil }, archive: journal,
      rows: RowMaker(documentsDirectory: directory), logger: logger)
    let ledger = RPCLedger()
    self.ledger = ledger
    let observers = EngineObservers(
      broadcaster: broadcaster, need: ConditionNeed(), ledger: ledger, clock: clock)
    var configuration = TransferEngine.Configuration(documentsDirectory: directory)
    configuration.limits.runningMax = 1
    engine = try TransferEngine(
      configuration: configuration,
      ports: TransferEngine.Ports(
        journal: journal, archive: journal,
        files: InMemoryFileStorage(documentsDirectory: directory), clock: clock,
        makeTransport: { ScriptedTransport(events: $0) }),
      logger: logger, observer: { observers.observe($0) })
    var file = ServiceConfiguration.RPC()
    file.isEnabled = true
    let paths = ServicePaths(
      environment: ["HOME": directory], passwordHome: directory, userDirectories: nil)
    guard let settings = RPCSettings(file, paths, documentsDirectory: directory) else {
      throw SystemError(EINVAL)
    }
    let told = Monitor<[String]>([])
    self.told = told
    ledger.tell { message in
      let gid = message.object?["params"]?.list?.first?.object?["gid"]?.text ?? ""
      told.update { $0.append("\(message.object?["method"]?.text ?? "") \(gid)") }
    }
    methods = RPCMethods(
      engine: engine, settings: settings, ledger: ledger,
      lists: RPCLists(broadcaster, ledger), instance: "i", shutDown: {})
    try await engine.start()
    ledger.begin(with: try journal.chosenGIDs())
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var notifications: [String] { told.read(\.self) }

  /// Performs a call without a secret. Throws the refusal.
  @discardableResult
  func call(_ name: String, _ params: RPCValue...) async throws -> RPCValue {
    try await methods.perform(try RPCMethod(RPCCall(method: "aria2." + name, params: params)))
  }

  /// Adds a download and returns its GID.
  func add(_ name: String, _ options: [String: RPCValue] = ["pause": "true"]) async throws
    -> RPCValue
  {
    try await call("addUri", [.text("http://a.example/\(name)")], .object(options))
  }

  func field(_ name: String, of gid: RPCValue) async throws -> RPCValue? {
    try await call("tellStatus", gid).object?[name]
  }

  /// The last components of the URLs of a list.
  func names(_ method: String, _ offset: Int64 = 0, _ count: Int64 = 1000) async throws -> [String]
  {
    let rows = try await call(method, .integer(offset), .integer(count)).list ?? []
    return rows.compactMap { row in
      row.object?["files"]?.list?.first?.object?["uris"]?.list?.first?.object?["uri"]?.text?
        .split(separator: "/").last.map(String.init)
    }
  }
}
