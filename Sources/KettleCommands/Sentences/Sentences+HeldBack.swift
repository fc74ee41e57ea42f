import KettleDashboard
import KettleModel

/// What the user can do about a transfer that does not move, or not as fast as it could.
extension Sentences {
  /// Nothing is sent while the service cannot use its configuration file.
  static func heldBackByConfiguration(_ heldBack: HeldBack) -> String {
    let file = quoted(heldBack.subject ?? "the configuration file", limit: 4096)
    return "Nothing is sent, because the service cannot use \(file), which may forbid it; "
      + useOfConfiguration
  }

  /// What the user can do about it; nil if there is nothing.
  static func remedy(of row: TransferSnapshot, _ heldBack: HeldBack) -> String? {
    let id = row.id
    switch heldBack.cause {
    case .slot: return "the setting limits.transfers permits more at once"
    case .hostLimit where heldBack.status != nil:
      let host = heldBack.subject?.sanitizedForDisplay(limit: 200) ?? "HOST"
      return "\"kettle hosts reset \(host)\" removes the limit, which otherwise ends by itself"
    case .hostLimit:
      let host = heldBack.subject?.sanitizedForDisplay(limit: 200) ?? "HOST"
      return "limits.connections-per-host, or connections in [hosts.\"\(host)\"], permits more"
    case .connectionLimit: return "the setting limits.connections permits more"
    case .sessionLimit: return "only its program can change that"
    case .queueLimit:
      let name = row.queueOfUser?.text ?? QueueName.standard.text
      return "the setting queues.\(name).transfers permits more"
    case .queueHours:
      return row.queueOfUser == .standard
        ? "change queues.default.hours to let it run earlier"
        : "\"kettle queues move default \(id)\" lets it run now"
    case .configuration: return useOfConfiguration
    case .battery: return "set conditions.pause-on-battery to false to let it run"
    case .metered: return "set conditions.pause-on-metered to false to let it run"
    case .priority: return "pause the others, or add it with --priority high"
    case .network where row.error?.asksForNetworkLogin == true:
      return "open any page in a browser and log in"
    case .turn, .network, .hostUnreachable, .server, .line, .unknown: return nil
    case .retry, .retryAfter: return "\"kettle start \(id)\" tries it now"
    case .proxy: return "correct the proxy settings, then restart the service"
    case .diskSpace: return "free space on the disk"
    case .discretionary: return "\"kettle start \(id)\" starts it without"
    case .needsLink: return "give a new one with \"kettle start \(id) --url URL\""
    case .needsLogin:
      return "give one with \"kettle start \(id) --user NAME\", which keeps everything"
    case .needsDecision where row.error?.certificate != nil:
      return "\"kettle accept \(id)\" trusts it, with --remember for its whole host"
    case .needsDecision:
      return "\"kettle accept \(id)\" keeps what arrived, \"kettle start \(id)\" requests it again"
    case .scheduled: return "\"kettle start \(id)\" starts it now"
    case .paused, .idle: return "start it with \"kettle start \(id)\""
    case .ownLimit: return "\"kettle limit none \(id)\" removes the limit"
    case .totalLimit: return "\"kettle limit none\" removes the limit"
    case .disk: return "use another disk with -d"
    }
  }
}
