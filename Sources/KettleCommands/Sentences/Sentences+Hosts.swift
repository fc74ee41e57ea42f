import KettleDashboard
import KettleModel

/// Sentences about hosts.
extension Sentences {
  static let noHosts = "No host has connections, queued transfers, a limit or an outage"

  static func hostReset(_ origin: String) -> String {
    "\(origin.sanitizedForDisplay(limit: 300)) starts afresh"
  }

  static func hostForgotten(_ origin: String) -> String {
    "Forgot the login and the certificates for \(origin.sanitizedForDisplay(limit: 300))"
  }

  static func nothingKnown(about name: String) -> String {
    "Nothing is remembered about the host \(quoted(name, limit: 300)); \"kettle hosts\" shows the "
      + "known ones"
  }

  /// One line about a host: what it has, and what keeps transfers from it.
  static func of(_ host: HostSnapshot, _ clock: any CommandClock) -> String {
    var parts: [String] = []
    if let limit = host.limit {
      parts.append(
        "\(limit.connectionsMax) of \(limit.triedCount) connections, since \(refusal(limit)) at "
          + time(limit.since, clock))
    }
    if host.limit == nil || host.connections > 0 {
      parts.append("\(host.connections) open")
    }
    if host.queuedCount > 0 { parts.append("\(host.queuedCount) queued") }
    if let remembered = host.remembered {
      if let user = remembered.user {
        parts.append("logs in as \(quoted(user, limit: 100))")
      }
      if remembered.certificateCount > 0 {
        let isHostKey = ServerCertificate.isHostKey(at: host.origin)
        parts.append("its \(isHostKey ? "host key" : "certificate") is trusted")
      }
    }
    if let until = host.closedUntil { parts.append("not before \(time(until, clock))") }
    if let outage = host.outage {
      let next = outage.nextProbeAt.map { "next attempt at \(time($0, clock))" } ?? "trying now"
      let cause = outage.error.sentenceWhileRetrying.sanitizedForDisplay(limit: 400)
      parts.append("unreachable since \(time(outage.since, clock)), \(next): \(cause)")
    }
    return host.origin.sanitizedForDisplay(limit: 300) + "  " + parts.joined(separator: "; ")
  }

  private static func refusal(_ limit: HostSnapshot.Limit) -> String {
    limit.status.map { "a \($0)" } ?? "a refused connection"
  }
}
