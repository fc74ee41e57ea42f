import Foundation
import TestSupport

/// One short life of the service with a fault at the N-th call of a kind, by strace(1).
///
/// strace counts the calls of each thread separately, so the fault strikes the thread that makes
/// its N-th call first. The trace is therefore restricted to the files of one scope, whose calls
/// come from few threads.
struct SystemCallTrial {
  enum Scope: String, CaseIterable, Sendable {
    case download, store
    /// Files with any name: a partial file has none when it is created (O_TMPFILE, open(2)), and
    /// strace identifies an open file by its name at that time.
    case any
  }

  enum Fault: Sendable, CustomStringConvertible {
    case kill
    case error(String)

    var injection: String {
      switch self {
      case .kill: "signal=SIGKILL"
      case .error(let name): "error=" + name
      }
    }

    var description: String {
      switch self {
      case .kill: "kill"
      case .error(let name): name
      }
    }
  }

  var call: String
  var scope: Scope
  var fault: Fault
  var count: Int
  let storm: Storm

  static let body = SeededBody(seed: StormRandom.runSeed, byteCount: (9 << 20) + 4321)

  private var isInterruption: Bool {
    if case .error("EINTR") = fault { return true }
    return false
  }
  private var name: String { "\(fault) at \(call) \(count) of the \(scope)" }
  private var home: StormHome { storm.home }
  private var stateDirectory: String { home.path + "/.local/state/kettle" }
  private var tracePath: String { home.path + "/trace" }

  /// The store, the unfinished store, and the files that SQLite keeps for each.
  private static let storeNames = ["store.sqlite", "store.sqlite.new"].flatMap { name in
    ["", "-wal", "-shm", "-journal", "-commits"].map { name + $0 }
  }

  private var scopePaths: [String] {
    switch scope {
    case .download:
      ["", "/a.bin", "/a.bin.part"].map { home.downloads + $0 }
    case .store:
      [stateDirectory] + Self.storeNames.map { stateDirectory + "/" + $0 }
    case .any: []
    }
  }

  private var tracer: [String] {
    ["strace", "-f", "-qq", "-o", tracePath, "-e", "signal=none", "-e", "trace=" + call]
      + ["-e", "inject=\(call):\(fault.injection):when=\(count)"]
      + scopePaths.flatMap { ["-P", $0] }
  }

  /// Returns whether the fault struck; if not, there is no N-th call.
  func run() throws -> Bool {
    // strace resolves its paths when it starts.
    for path in [home.downloads, stateDirectory] {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    storm.origin.serve(OriginBehavior(Self.body), at: "/a.bin")
    let service = try home.startService(behind: tracer)
    let socket = home.path + "/run/kettle/control.sock"
    let isThere = eventually(milliseconds: 20_000, every: 10) {
      FileManager.default.fileExists(atPath: socket) || service.exitCode != nil
    }
    storm.findings.check(isThere, "\(name): the service neither answered nor ended")
    let file = StormFile(path: "/a.bin", body: Self.body)
    switch fault {
    case .kill: liveThroughKill(file)
    case .error: liveThroughError(file, service)
    }
    return hasStruck(service)
  }

  private func hasStruck(_ service: StormProcess) -> Bool {
    if case .kill = fault { return service.exitCode != nil }
    return (try? String(contentsOfFile: tracePath, encoding: .utf8))?.contains("INJECTED") == true
  }

  private func liveThroughKill(_ file: StormFile) {
    let id = storm.add(file)
    let outcome = home.waitForAll(seconds: 40)
    let rows = home.rows() ?? []
    storm.findings.check(
      outcome.code == 0 && (id == nil || rows.contains { $0.id == id }),
      """
      \(name): acknowledged \(id ?? "nothing"), \(rows.count) rows, wait ended with \
      \(outcome.code): \(outcome.errors)
      """
    )
    judge(rows)
  }

  private func liveThroughError(_ file: StormFile, _ service: StormProcess) {
    let url = "http://127.0.0.1:\(storm.origin.port)\(file.path)"
    let added = home.kettle("add", url)
    storm.findings.check(
      added.code == 0 || !added.errors.isEmpty, "\(name): add ended with \(added.code), no sentence"
    )
    home.waitForAll(seconds: 75)
    for row in home.rows() ?? [] where row.state != "completed" {
      let isSaid = row.state == "failed" ? row.error != nil : row.reason != nil
      storm.findings.check(isSaid, "\(name): \(row.state), and no word why")
      storm.findings.check(!isInterruption, "\(name): an interrupted call is no failure")
    }
    checkFinalName()
    // The tracer would strike every thread's N-th call, so the service stops before the next
    // attempt.
    home.kettle("daemon", "stop")
    let isGone = service.waitForEnd(milliseconds: 20_000) != nil
    storm.findings.check(isGone, "\(name): the service did not end when it was told to")
    if added.code != 0 {
      storm.findings.check(
        home.kettle("add", url).code == 0, "\(name): the add after the fault was refused too")
    }
    for row in home.rows() ?? [] where row.state != "completed" { home.kettle("start", row.id) }
    let outcome = home.waitForAll(seconds: 40)
    storm.findings.check(
      outcome.code == 0, "\(name): not completed after the fault: \(outcome.errors)")
    judge(home.rows() ?? [])
  }

  /// A file with the final name is complete at any time.
  private func checkFinalName() {
    let path = home.downloads + "/a.bin"
    guard FileManager.default.fileExists(atPath: path) else { return }
    storm.findings.check(
      Self.body.difference(fromFileAt: path) == nil, "\(name): the final name is wrong")
  }

  private func judge(_ rows: [StormHome.Row]) {
    for row in rows {
      let path = row.path ?? ""
      let difference = Self.body.difference(fromFileAt: path)
      storm.findings.check(
        row.state == "completed" && difference == nil,
        "\(name): \(row.state), \(path) differs by \(String(describing: difference))")
    }
    storm.judgeNames(rows, name)
  }
}
