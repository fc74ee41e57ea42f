import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket

/// Sentences about the service itself.
extension Sentences {
  static let serviceStopped = "The service has stopped"
  static let noServiceRuns = "No service is running"
  static let serviceStillRuns =
    "The service did not stop within 30 seconds; check its log, and kill its process if it hangs"

  static func installed(in directory: String) -> String {
    "systemd runs the service from now on, by the units in "
      + quoted(directory, limit: 4096)
  }

  static let uninstalled = "Commands start the service themselves again"

  static func of(_ error: SystemdError) -> String {
    switch error.what {
    case .noManager:
      "No systemd runs for this user, so there is nothing to install; commands start the service "
        + "when it is needed"
    case .unwritable(let directory):
      "The units cannot be written to \(quoted(directory, limit: 4096)); check its permissions"
    case .refused(let call): "\"\(call)\" failed; run it to see why"
    }
  }

  static func serviceRuns(_ status: ServiceStatus.Result) -> String {
    "The service is running (process \(status.processID))"
  }

  /// - Parameter more: Notices that the status does not have.
  static func status(
    _ status: ServiceStatus.Result, notices more: [String], socketPath: String,
    clock: any CommandClock
  ) -> [String] {
    let totals = status.totals
    let counts = TransferState.allCases.filter { totals.count($0) > 0 }
      .map { "\(CountText.text(totals.count($0))) \(Strings.countWord($0))" }
    var lines = [
      "Kettle \(status.serviceVersion.sanitizedForDisplay(limit: 40)), "
        + "process \(status.processID), since \(dateText(status.startedAt, clock))",
      "Transfers: " + (counts.isEmpty ? "none" : counts.joined(separator: ", ")),
      "Speed: \(ByteText.speed(totals.bytesPerSecond))",
    ]
    if let limit = totals.limitBytesPerSecond {
      let until = totals.limitUntil.map { " until \(timeText($0, clock))" } ?? ""
      lines.append("Limit: \(ByteText.limit(limit)) in total\(until)")
    }
    if let start = status.start { lines.append("Started: \(words(of: start))") }
    if let proxies = status.proxies { lines.append("Proxy: \(words(of: proxies))") }
    if let freeBytes = totals.freeBytes { lines.append("Free: \(ByteText.size(freeBytes))") }
    func add(_ name: String, _ path: String?) {
      if let path { lines.append("\(name): \(path.sanitizedForDisplay(limit: 4096))") }
    }
    add("Downloads", status.places?.downloadsDirectory)
    add("Configuration", status.places?.configPath)
    add("Store", status.storePath)
    add("Log", status.places?.logPath)
    add("Socket", socketPath)
    return lines + notices(status) + more.map { "Notice: \($0)" }
  }

  /// That the service was started by another version of the program; nil if it was not.
  static func otherVersion(_ status: ServiceStatus.Result) -> String? {
    guard status.serviceVersion != ProductVersion.text else { return nil }
    let version = status.serviceVersion.sanitizedForDisplay(limit: 40)
    return "The service is of version \(version), and this program of \(ProductVersion.text); "
      + "\"kettle daemon stop\" ends it, and the next command starts the new one"
  }

  static func olderService(_ version: String) -> String {
    "The service is of version \(version.sanitizedForDisplay(limit: 40)), and this program of "
      + "\(ProductVersion.text); it is replaced when nothing is being downloaded, "
      + "\"kettle daemon stop\" does so now"
  }

  static func replacedService(_ version: String) -> String {
    "The service of version \(version.sanitizedForDisplay(limit: 40)) was replaced by this one"
  }

  private static func words(of start: ServiceStart) -> String {
    switch start {
    case .byCommand: "by a command; it continues after the last logout"
    case .bySystemd(lingers: true): "by systemd; it continues after the last logout"
    case .bySystemd(lingers: false):
      "by systemd; it ends at the last logout, \"loginctl enable-linger\" keeps it"
    }
  }

  /// The service reads its proxies once, when it starts.
  private static func words(of proxies: ProxiesInUse) -> String {
    func name(_ address: String?) -> String {
      address?.sanitizedForDisplay(limit: 200) ?? "none"
    }
    if let unusable = proxies.unusable.first {
      let name = unusable.sanitizedForDisplay(limit: 100)
      return "unusable, because \(name) is not the address of a proxy"
    }
    if proxies.http == proxies.https { return name(proxies.http) }
    return "\(name(proxies.http)) for http, \(name(proxies.https)) for https"
  }

  /// The service's notices about itself, for example about its configuration.
  static func notices(_ status: ServiceStatus.Result) -> [String] {
    status.notices.map { "Notice: " + $0.sanitizedForDisplay(limit: 1000) }
  }

  static func dateText(_ time: WallTime, _ clock: any CommandClock) -> String {
    guard let local = clock.localTime(of: time), let shown = local.inUTC else {
      return time.iso8601
    }
    // The local calendar read as UTC prints the local date.
    return ClockText(utcOffsetSeconds: 0).full(shown)
  }
}

/// Sentences about an unreachable service on another machine.
extension Sentences {
  static func of(_ error: RemoteError) -> String {
    let host = quoted(error.host.text)
    let words = lastWords(error.said)
    let said = words.isEmpty ? "" : " (\(words))"
    switch error.why {
    case .cannotRunSSH(let code):
      return "Cannot run \"ssh\" to reach \(host) (\(errnoText(code))); install it"
    case .unreachable:
      return "\(host) cannot be reached\(said); check that \"ssh \(error.host.text)\" works"
    case .noProgram:
      return "ssh found no \"kettle\" on \(host)\(said); install it there, for example in "
        + "/usr/local/bin"
    case .otherVersion(let ours, let theirs?):
      return "The service on \(host) uses protocol version \(quoted(theirs)) and this program "
        + "uses \(ours); install the same version of kettle on both, "
        + "and run \"kettle daemon stop\" there"
    case .otherVersion(_, nil):
      return "The \"kettle\" on \(host) is older than this one\(said); "
        + "install the same version on both"
    case .notRunning:
      return "No service is running on \(host); start it with "
        + "\"kettle --host \(error.host.text) daemon start\""
    case .notAnswering:
      guard words.isEmpty else { return "On \(host): \(words)" }
      return "The service on \(host) does not answer; "
        + "check it there with \"kettle daemon status\""
    case .noService:
      return "The service on \(host) cannot be reached\(said); "
        + "check it there with \"kettle daemon status\""
    case .ended:
      // Output of a login shell precedes the first reply.
      return "The connection to \(host) ended before the service replied\(said); try again, "
        + "and check that \"ssh \(error.host.text) true\" prints nothing"
    }
  }

  /// The last line of the output, without the leading `kettle: `.
  private static func lastWords(_ said: String) -> String {
    let lines = said.split(whereSeparator: \.isNewline).filter { line in
      line.contains { !$0.isWhitespace }
    }
    let line = lines.last ?? ""
    let prefix = "kettle: "
    return String(line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : line)
      .sanitizedForDisplay(limit: 300)
  }
}

extension Sentences {
  static func of(_ problem: DemoProblem) -> String {
    switch problem {
    case .foreignHome(let path):
      "\(quoted(path)) is not a private directory of yours, so the demo does not touch it; "
        + "remove it, or set TMPDIR to another directory"
    case .homeUnusable(let path, let detail):
      "The demo directory \(quoted(path)) cannot be used (\(detail)); set TMPDIR to a writable "
        + "directory"
    case .catalogueUnusable(let path):
      "The demo service did not list its files in \(quoted(path)); "
        + "delete that directory and try again"
    case .serviceStillRuns(let path):
      "The demo service did not stop, so its directory \(quoted(path)) was not deleted; run "
        + "\"kettle demo\" and leave it again"
    case .portUnusable(let port, let detail):
      "The demo cannot serve on port \(port)\(detail.map { " (\($0))" } ?? ""); choose another "
        + "port, such as \(port == 8018 ? 8019 : 8018)"
    }
  }

  /// What the server of a demo says when it serves: its URLs, and how to end it.
  static func demoServer(_ server: DemoServer) -> String {
    let urls = server.paths.map { "http://127.0.0.1:\(server.port)\($0)\n" }
    return urls.joined() + "Serving these slowly to this machine only; Ctrl-C ends it\n"
  }

  /// The summary after a demo has ended and was deleted.
  static func demoSummary(_ rows: [TransferSnapshot], home: String) -> [String] {
    let completed = rows.filter { $0.state == .completed }
    let byteCount = completed.reduce(Int64(0)) { $0.addingReportingOverflow($1.bytesReceived).0 }
    return [
      "The demo downloaded \(completed.count) of \(rows.count) files "
        + "(\(ByteText.size(byteCount))) from a server inside Kettle to \(quoted(home))",
      "Its service has stopped and the directory was deleted; none of your files was touched",
      "Now download something of your own: kettle get URL, or kettle for the dashboard",
    ]
  }
}
