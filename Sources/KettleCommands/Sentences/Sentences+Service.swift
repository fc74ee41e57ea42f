import KettleControl
import KettleDashboard
import KettleModel

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
      .map { "\(totals.count($0)) \($0.rawValue)" }
    var lines = [
      "Kettle \(status.serviceVersion.sanitizedForDisplay(limit: 40)), "
        + "process \(status.processID), since \(dateText(status.startedAt, clock))",
      "Transfers: " + (counts.isEmpty ? "none" : counts.joined(separator: ", ")),
      "Speed: \(ByteText.speed(totals.bytesPerSecond))",
    ]
    if let limit = totals.limitBytesPerSecond {
      let until = totals.limitUntil.map { " until \(timeText($0, clock))" } ?? ""
      lines.append("Limit: \(ByteText.speed(limit)) in total\(until)")
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
