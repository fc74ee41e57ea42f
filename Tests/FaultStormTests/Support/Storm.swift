import Foundation
import TestSupport

/// A home, an origin and the requested files, which the threads of a storm share.
final class Storm: Sendable {
  struct Progress: Sendable {
    var files: [String: StormFile] = [:]
    /// The IDs that an add printed, with their paths.
    var acknowledged: [String: String] = [:]
    var ledger = RefetchLedger()
    var kills = 0
    /// The highest resident memory of any service, in KiB.
    var peakMemory = 0
    var isOver = false
  }

  let home: StormHome
  let origin: ScriptedOrigin
  let findings: Findings
  let progress = Monitor(Progress())

  init(_ findings: Findings, home: StormHome) throws {
    self.home = home
    self.findings = findings
    origin = try ScriptedOrigin(sendBufferByteCount: RefetchLedger.sendBufferByteCount)
  }

  /// Adds the file once. Only a printed ID counts as an acknowledgement.
  @discardableResult
  func add(_ file: StormFile) -> String? {
    let outcome = addAndTell(file)
    return Int(outcome.output) == nil ? nil : outcome.output
  }

  @discardableResult
  func addAndTell(_ file: StormFile) -> StormProcess.Outcome {
    progress.update { $0.files[file.path] = file }
    let url = "http://127.0.0.1:\(origin.port)\(file.path)"
    let outcome = home.kettle(["add"] + file.options + [url])
    noteClient(outcome, "add")
    if Int(outcome.output) != nil {
      progress.update { $0.acknowledged[outcome.output] = file.path }
    }
    return outcome
  }

  /// A client may fail when its service is killed, but it may neither crash nor hang.
  func noteClient(_ outcome: StormProcess.Outcome, _ what: String) {
    findings.check(
      outcome.code != StormProcess.Outcome.hungCode && outcome.code < 128,
      "kettle \(what) ended with \(outcome.code): \(outcome.errors)")
  }

  /// Kills the service of the home, if there is one, and records what that may cost.
  func killService(stoppingFirst: Bool) {
    let ids = home.servicePIDs
    guard !ids.isEmpty else { return }
    if stoppingFirst { for id in ids { kill(id, SIGSTOP) } }
    let memory = ids.map(Self.peakMemory).max() ?? 0
    progress.update {
      $0.ledger.strike(origin)
      $0.peakMemory = max($0.peakMemory, memory)
    }
    for id in ids { kill(id, SIGKILL) }
    progress.update { $0.kills += 1 }
  }

  /// VmHWM, in KiB (proc_pid_status(5)).
  private static func peakMemory(of id: pid_t) -> Int {
    let status = KernelFile.text("/proc/\(id)/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// Runs the work of a storm and observes its connections meanwhile; otherwise the ledger would
  /// not know how much was read from a connection that ends between two kills.
  func watched<Answer>(_ work: () throws -> Answer) rethrows -> Answer {
    let isOver = Monitor(false)
    Thread.detachNewThread { [self] in
      while !isOver.block(forMilliseconds: 20, until: { $0 }) {
        progress.update { $0.ledger.observe(origin) }
      }
    }
    defer { isOver.update { $0 = true } }
    return try work()
  }

  // MARK: - The end

  /// Starts paused transfers, waits until all are finished, and returns the rows.
  func finish(budgetSeconds: Int64) -> [StormHome.Row] {
    home.kettle("start", "--all")
    let outcome = home.waitForAll(seconds: budgetSeconds)
    findings.check(
      outcome.code == 0, "kettle wait ended with \(outcome.code): \(outcome.errors)")
    return home.rows() ?? []
  }

  /// Checks every row and file.
  func judge(_ rows: [StormHome.Row]) {
    judgeFiles(rows)
    judgeNames(rows, "the storm")
  }

  /// Checks that there is a file for each finished row, no other file and no partial file.
  func judgeNames(_ rows: [StormHome.Row], _ after: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: home.downloads)) ?? []
    let finished = rows.count { $0.state == "completed" }
    let orphans = names.filter { name in
      // A partial file is created before it is recorded, and is empty until then.
      name.hasSuffix(".part") && home.byteCount(ofDownload: name) == 0
    }
    for orphan in orphans { findings.noteKnown("\(after): \(orphan) is empty and nobody's") }
    findings.check(
      names.count == finished + orphans.count,
      "\(after): \(finished) finished transfers made \(names.count) files: \(names.sorted())")
  }

  func judgeFiles(_ rows: [StormHome.Row]) {
    let (files, acknowledged) = progress.read { ($0.files, $0.acknowledged) }
    let ids = Set(rows.map(\.id))
    for (id, path) in acknowledged {
      findings.check(ids.contains(id), "transfer \(id) of \(path) was acknowledged and is lost")
    }
    for row in rows { judge(row, files[row.urlPath]) }
  }

  private func judge(_ row: StormHome.Row, _ file: StormFile?) {
    // Some file systems have another device number at each mount (stat(2) of btrfs).
    if row.state == "failed", row.error?.contains("another disk is in its place") == true {
      findings.noteKnown("transfer \(row.id): \(row.error ?? "")")
      return
    }
    findings.check(
      row.state == "completed",
      "transfer \(row.id) of \(row.urlPath) is \(row.state): \(row.error ?? row.reason ?? "")")
    guard row.state == "completed", let file, let path = row.path else { return }
    let difference = file.body.difference(fromFileAt: path)
    findings.check(
      difference == nil, "\(path) of \(row.urlPath) is wrong: \(String(describing: difference))")
  }

  /// Compares the bytes that were fetched again with the promise, path by path, and prints the
  /// numbers.
  func judgeBills(of rows: [StormHome.Row]) {
    let (files, ledger) = progress.read { ($0.files, $0.ledger) }
    let requests = Dictionary(grouping: origin.requests, by: \.path)
    // Several transfers of one path each fetch it once; that is not fetching again.
    let counts = Dictionary(grouping: rows, by: \.urlPath).mapValues(\.count)
    let bills = files.values.filter { $0.canGoOn && counts[$0.path] == 1 }
      .map { ledger.bill($0.bodyPath, requests[$0.bodyPath] ?? []) }
    for bill in bills {
      findings.check(
        bill.isKept,
        """
        \(bill.path): \(bill.refetched) bytes fetched again after \(bill.kills) kills\(bill.history)
        """)
    }
    let total = bills.reduce(0) { $0 + $1.refetched }
    let strikes = bills.reduce(0) { $0 + $1.kills }
    findings.say(
      """
      \(progress.read { $0.kills }) kills struck \(strikes) active transfers; \
      \(total) bytes fetched again (\(total / Int64(max(strikes, 1))) a strike), worst after one kill \
      \(bills.map(\.worst).max() ?? 0)
      """)
  }
}
