import KettleDashboard
import KettleModel

/// Sentences about why a transfer does not move, or not as fast as it could.
extension Sentences {
  /// What keeps a transfer, as one clause.
  static func obstacle(of row: TransferSnapshot, _ heldBack: HeldBack) -> String {
    let subject = heldBack.subject.map { quoted($0) }
    switch heldBack.cause {
    case .slot: return "\(usage(heldBack)) transfers are running"
    case .hostLimit:
      let learned = heldBack.status.map { ", a limit since the server answered \($0)" } ?? ""
      return "\(usage(heldBack)) connections to \(subject ?? "its host") are in use\(learned)"
    case .sessionLimit:
      return "its session uses \(usage(heldBack)) connections to \(subject ?? "its host")"
    case .connectionLimit: return "\(usage(heldBack)) connections are in use"
    case .priority: return "transfers of higher priority come first"
    case .turn: return "it is about to start"
    case .retry: return "it is tried again after an error"
    case .retryAfter: return "\(subject ?? "the server") asked to be contacted later"
    case .network: return "the network is down"
    case .hostUnreachable: return "\(subject ?? "its host") cannot be reached"
    case .proxy: return "the proxy refuses the connection or its login"
    case .diskSpace: return "the disk is full"
    case .discretionary:
      let condition = heldBack.subject.flatMap(TransferCondition.init(rawValue:))
      return "it waits for \(condition?.words ?? "the conditions of its program")"
    case .needsLink: return "its link has expired"
    case .needsLogin: return "the server requires a login"
    case .needsDecision: return "what arrived may not be the file"
    case .scheduled: return "its start time has not come"
    case .paused: return "it was paused"
    case .idle: return row.bytesReceived > 0 ? "it was stopped" : "it was not started"
    case .ownLimit: return "its speed is limited to \(limit(heldBack))"
    case .totalLimit: return "all transfers together are limited to \(limit(heldBack))"
    case .disk: return "the disk is slower than the network"
    case .line: return "the line is full, and the transfers share it"
    case .server: return "\(subject ?? "its server") sends more slowly than other servers"
    case .unknown: return "\(subject ?? "its server") sends nothing, and it is not known why"
    }
  }

  private static func usage(_ heldBack: HeldBack) -> String {
    "\(heldBack.used ?? 0) of \(heldBack.allowed ?? 0)"
  }

  private static func limit(_ heldBack: HeldBack) -> String {
    ByteText.limit(heldBack.bytesPerSecond ?? 0)
  }

  /// What the user can do about it; nil if there is nothing.
  static func remedy(of row: TransferSnapshot, _ heldBack: HeldBack) -> String? {
    let id = row.id
    switch heldBack.cause {
    case .slot: return "the setting limits.transfers permits more at once"
    case .hostLimit where heldBack.status != nil:
      return "\"kettle start \(id)\" does not help; the limit ends by itself"
    case .hostLimit: return "the setting limits.connections-per-host permits more"
    case .connectionLimit: return "the setting limits.connections permits more"
    case .sessionLimit: return "only its program can change that"
    case .priority: return "pause the others, or add it with --priority high"
    case .turn, .network, .hostUnreachable, .server, .line, .unknown: return nil
    case .retry, .retryAfter: return "\"kettle start \(id)\" tries it now"
    case .proxy: return "correct the proxy settings, then restart the service"
    case .diskSpace: return "free space on the disk"
    case .discretionary: return "\"kettle start \(id)\" starts it without"
    case .needsLink: return "give a new one with \"kettle start \(id) --url URL\""
    case .needsLogin:
      return "give one with \"kettle start \(id) --user NAME\", which keeps everything"
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
