import Dispatch
import Foundation
import KettleCurl
import KettleDaemon
import KettleEngine
import KettleFiles
import KettleModel
import KettleScheduler
import KettleStore
import KettleSystem
import Logging
import TestSupport

/// One engine with the real network, files and store for all downloads of a run.
final class DownloadWorld: Sendable {
  let root: String
  private let engine: TransferEngine
  private let journal: SQLiteJournal
  private let settled: SettledRows
  private let origins: Mutex<Origins>

  private struct Origins: Sendable {
    var current: ScriptedOrigin
    var downloadCount = 0
  }

  /// An origin records its requests, so it is replaced after this many downloads.
  private static let downloadCountPerOrigin = 100

  init() async throws {
    root = try TemporaryFolder.make("kettle-fuzz-http")
    var configuration = TransferEngine.Configuration(documentsDirectory: root)
    configuration.retryPolicy.firstDelayMilliseconds = 2
    configuration.retryPolicy.firstProbeMilliseconds = 2
    configuration.retryPolicy.probeMillisecondsMax = 20
    configuration.retryPolicy.delayMillisecondsMax = 20
    configuration.timeouts.connectMilliseconds = 2000
    configuration.timeouts.idleMilliseconds = 700
    configuration.timeouts.headMilliseconds = 700
    configuration.timeouts.slowMilliseconds = 2000
    configuration.checkpoints.slowMilliseconds = 20
    configuration.limits.runningMax = 64
    configuration.limits.connectionsPerHostMax = 64
    configuration.limits.connectionsMax = 128
    configuration.limits.division.speedMilliseconds = 0
    configuration.limits.division.aloneMillisecondsMax = 0
    configuration.limits.division.aloneBytesPerSecondMin = .max
    let clock = ServiceClock()
    let settled = SettledRows()
    let journal = try StoreOpening.open(root + "/state/store.sqlite", at: clock.now().wall).journal
    engine = try TransferEngine(
      configuration: configuration,
      ports: TransferEngine.Ports(
        journal: journal, archive: journal,
        files: POSIXFileStorage(documentsDirectory: root), clock: clock,
        makeTransport: { events throws(TransferFailure) in
          try CurlTransport(
            events: events,
            settings: CurlSettings(
              userAgent: "Kettle/fuzz", certificates: TrustedCertificates(environment: [:]),
              proxies: .none))
        }),
      logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() },
      observer: { settled.note($0) })
    self.journal = journal
    self.settled = settled
    origins = Mutex(Origins(current: try ScriptedOrigin()))
    try await engine.start()
  }

  func shutDown() async {
    await engine.shutDown()
    try? journal.close()
    try? FileManager.default.removeItem(atPath: root)
  }

  func origin() throws -> (ScriptedOrigin, number: Int) {
    try origins.withLock { origins in
      origins.downloadCount += 1
      if origins.downloadCount % Self.downloadCountPerOrigin == 0 {
        origins.current = try ScriptedOrigin()
      }
      return (origins.current, origins.downloadCount)
    }
  }

  /// How a download ended.
  struct End: Sendable {
    /// nil if it did not settle.
    var row: TransferSnapshot?
    /// The files with a final name in its folder.
    var files: [[UInt8]]
  }

  func control(_ control: TransferScheduler.Control, _ id: TransferID) async {
    _ = await engine.control(control, [id])
  }

  /// Downloads into a separate folder, and leaves nothing behind.
  ///
  /// - Parameter began: called with the transfer when it is on the list.
  func download(
    _ url: TransferURL, number: Int, connections: Int, certificate: String? = nil,
    began: (TransferID) -> Void = { _ in }
  ) async throws -> End {
    let folder = root + "/\(number)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var spec = TransferSpec(url: url)
    spec.directory = folder
    spec.connections = connections
    spec.caCertificatePath = certificate
    guard let id = try await engine.add([spec]).first else {
      return End(row: nil, files: [])
    }
    began(id)
    let row = await settled.settled(id)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let files = names.filter { !$0.hasSuffix(".part") }.compactMap {
      FileManager.default.contents(atPath: folder + "/" + $0).map { [UInt8]($0) }
    }
    _ = await engine.control(.remove(.goes), [id])
    settled.forget(id)
    return End(row: row, files: files)
  }
}
