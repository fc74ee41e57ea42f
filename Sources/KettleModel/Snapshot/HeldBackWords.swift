/// The wording for a cause that holds a transfer back. Each reason to wait has one case in
/// `init(_:on:of:)`.
package struct HeldBackWords: Sendable {
  /// For the row of a transfer that is queued or waits, the longest form first.
  package let forms: [String]
  /// What a waiting transfer waits for, in one or two words.
  package let state: String
  /// The cause as a clause, which follows "because".
  package let clause: String
  /// What the user can do; nil if there is nothing.
  package let remedy: String?
  /// The text of the history, in which `{time}` is a blank and a duration, or nothing.
  let history: String

  private init(
    _ forms: [String], state: String? = nil, _ clause: String, remedy: String? = nil,
    history: String = ""
  ) {
    self.forms = forms
    self.state = state ?? forms.last ?? ""
    self.clause = clause
    self.remedy = remedy
    self.history = history
  }

  fileprivate static func quoted(_ subject: String) -> String {
    "\"" + subject.sanitizedForDisplay(limit: 200) + "\""
  }
}

// MARK: - Reasons to wait

extension HeldBackWords {
  /// - Parameters:
  ///   - subject: the host or the condition that it waits for.
  ///   - row: the transfer; without one, the words are those for any transfer.
  package init(
    _ reason: WaitingReason, on subject: String? = nil, of row: TransferSnapshot? = nil
  ) {
    let id = row?.id.description ?? "ID"
    switch reason {
    case .retry:
      self.init(
        ["retrying"], "it is tried again after an error",
        remedy: "\"kettle start \(id)\" tries it now", history: "Waiting{time} before retry")
    case .retryAfter:
      self.init(
        ["server asked to wait", "asked to wait"], state: "retrying",
        "\(subject.map(Self.quoted) ?? "the server") asked Kettle to wait",
        remedy: "\"kettle start \(id)\" tries it now", history: "Waiting{time}, as the server asks")
    case .network:
      let wantsLogin = row?.error?.asksForNetworkLogin == true
      self.init(
        ["waiting for network", "no network"],
        wantsLogin ? "the network asks for a login" : "the network is down",
        remedy: wantsLogin ? "open any page in a browser and log in" : nil,
        history: "Waiting for the network")
    case .hostUnreachable:
      self.init(
        ["host unreachable", "host down"],
        "\(subject.map(Self.quoted) ?? "its host") cannot be reached",
        history: "Waiting{time} for the host")
    case .proxy:
      self.init(
        ["waiting for the proxy", "proxy"], "the proxy refuses the connection or its login",
        remedy: "correct the proxy settings, then restart the service",
        history: "Waiting{time} for the proxy")
    case .diskSpace:
      self.init(
        ["waiting for disk space", "disk full"], "the disk is full",
        remedy: "free space on the disk", history: "Waiting{time} for room on the disk")
    case .discretionary:
      let condition = subject.flatMap(TransferCondition.init(rawValue:))?.words
      self.init(
        ["waiting for its conditions", "deferred"],
        "it waits for \(condition ?? "the conditions of its program")",
        remedy: "\"kettle start \(id)\" starts it without", history: "Waiting for its conditions")
    case .needsLink:
      self.init(
        ["needs a new link", "needs link"], "its link has expired",
        remedy: "give a new one with \"kettle start \(id) --url URL\"",
        history: "Waiting for a fresh link")
    case .needsLogin:
      self.init(
        ["needs a login", "needs login"],
        row?.error?.rejectsLogin == true
          ? "the server rejected the login" : "the server requires a login",
        remedy: "give one with \"kettle start \(id) --user NAME\", which keeps everything",
        history: "Waiting for a login")
    case .needsDecision: self.init(decisionOn: row?.error?.certificate, id)
    case .members:
      self.init(
        ["waiting for its files", "files"], "some of its files are not complete",
        remedy: "\"kettle list --collection \(id)\" shows them",
        history: "Waiting for its files")
    }
  }

  /// - Parameter certificate: what is to be trusted; nil if it is the file that is in doubt.
  private init(decisionOn certificate: ServerCertificate?, _ id: String) {
    let key = certificate.map { $0.isHostKey ? "host key" : "certificate" }
    self.init(
      key.map { [$0 + " not trusted", "not trusted"] } ?? ["needs a decision", "decide"],
      state: "needs decision",
      key.map { "the server's \($0) is not trusted" } ?? "what arrived may not be the file",
      remedy: "\"kettle accept \(id)\" "
        + (key == nil
          ? "keeps what arrived, \"kettle start \(id)\" requests it again"
          : "trusts it, with --remember for its whole host"),
      history: "Waiting for a decision")
  }
}

// MARK: - All causes

extension HeldBackWords {
  /// - Parameter time: writes the time since which a host has a lower limit; without it the clause
  ///   has none.
  package init(
    _ heldBack: HeldBack, of row: TransferSnapshot, time: (WallTime) -> String? = { _ in nil }
  ) {
    if let reason = heldBack.cause.reason {
      self.init(reason, on: heldBack.subject, of: row)
    } else {
      let (forms, clause) = heldBack.words(of: row, time: time)
      self.init(forms, clause, remedy: heldBack.remedy(of: row))
    }
  }

  /// What makes a file usable that holds transfers back.
  package static let useOfConfiguration =
    "\"kettle config check\" says why; correct it and run \"kettle config reload\", or go on "
    + "without it with \"kettle config reload --without-file\""
}

/// The wording for the causes that are not reasons to wait.
extension HeldBack {
  fileprivate func words(
    of row: TransferSnapshot, time: (WallTime) -> String?
  ) -> (forms: [String], clause: String) {
    let subject = subject.map(HeldBackWords.quoted)
    let usage = "\(used ?? 0) of \(allowed ?? 0)"
    let limit = ByteText.limit(bytesPerSecond ?? 0)
    switch cause {
    case .configuration:
      return (
        ["configuration unreadable", "configuration"],
        "the configuration file \(subject ?? "of the service") cannot be used"
      )
    case .slot: return (counted("slots full"), "\(usage) transfers are running")
    case .hostLimit:
      let since = limitedSince.flatMap(time).map { " at " + $0 } ?? ""
      let learned = status.map { ", a limit since the server answered \($0)\(since)" } ?? ""
      return (
        counted("host full"),
        "\(usage) connections to \(subject ?? "its host") are in use\(learned)"
      )
    case .sessionLimit:
      return (
        counted("session full"),
        "its session uses \(usage) connections to \(subject ?? "its host")"
      )
    case .connectionLimit:
      return (counted("connections full") + counted("full"), "\(usage) connections are in use")
    case .queueLimit:
      return (
        counted("queue full"),
        "\(usage) transfers of the queue \(subject ?? "it is in") are running"
      )
    case .queueHours:
      return (
        ["outside its hours", "closed"], "the queue \(subject ?? "it is in") is outside its hours"
      )
    case .battery: return (["on battery", "battery"], "the machine is running on battery")
    case .metered: return (["metered network", "metered"], "the network is metered")
    case .priority:
      return (
        ["after higher priority", "by priority"], "transfers of higher priority come first"
      )
    case .turn:
      return (
        ["next in line", "next"],
        "it is next in line for \(HeldBackWords.quoted(String(row.host)))"
      )
    case .retry, .retryAfter, .network, .hostUnreachable, .proxy, .diskSpace, .discretionary,
      .needsLink, .needsLogin, .needsDecision, .members:
      return ([], "")
    case .scheduled: return ([], "its start time has not come")
    case .paused: return ([], "it was paused")
    case .idle: return ([], row.bytesReceived > 0 ? "it was stopped" : "it was not started")
    case .ownLimit: return ([], "it is slowed by its limit of \(limit)")
    case .totalLimit: return ([], "it is slowed by your limit of \(limit) for everything")
    case .disk: return ([], "the disk is slower than the network")
    case .line: return ([], "the network is saturated, and transfers share it")
    case .server:
      return ([], "\(subject ?? "its server") is slower than the other servers")
    case .unknown:
      let silence =
        since == nil
        ? "sends little or nothing, and it is not known why" : "has sent nothing"
      return ([], "\(subject ?? "its server") \(silence)")
    }
  }

  /// The words with what is in use and without it.
  private func counted(_ words: String) -> [String] {
    guard let used, let allowed else { return [words] }
    return ["\(words) \(used)/\(allowed)", words]
  }

  fileprivate func remedy(of row: TransferSnapshot) -> String? {
    let host = subject?.sanitizedForDisplay(limit: 200) ?? "HOST"
    switch cause {
    case .configuration: return HeldBackWords.useOfConfiguration
    case .slot: return "the setting limits.transfers permits more at once"
    case .hostLimit:
      return status == nil
        ? "limits.connections-per-host, or connections in [hosts.\"\(host)\"], permits more"
        : "\"kettle hosts reset \(host)\" lifts the limit, which otherwise ends by itself"
    case .sessionLimit: return "only its program can change that"
    case .connectionLimit: return "the setting limits.connections permits more"
    case .queueLimit:
      let name = row.queueOfUser ?? .standard
      return "the setting queues.\(name.text).transfers permits more"
    case .queueHours:
      return row.queueOfUser == .standard
        ? "change queues.default.hours to let it run earlier"
        : "\"kettle queues move default \(row.id)\" lets it run now"
    case .battery: return "set conditions.pause-on-battery to false to let it run"
    case .metered: return "set conditions.pause-on-metered to false to let it run"
    case .priority: return "pause the others, or add it with --priority high"
    case .scheduled: return "\"kettle start \(row.id)\" starts it now"
    case .paused, .idle: return "start it with \"kettle start \(row.id)\""
    case .ownLimit: return "lift it with \"kettle limit none \(row.id)\""
    case .totalLimit: return "lift it with \"kettle limit none\""
    case .disk: return "use another disk with -d"
    case .turn, .line, .server, .unknown, .retry, .retryAfter, .network, .hostUnreachable, .proxy,
      .diskSpace, .discretionary, .needsLink, .needsLogin, .needsDecision, .members:
      return nil
    }
  }
}

extension TransferSnapshot {
  /// Why it does not move, or not as fast as it could, as a clause; nil if nothing holds it back.
  ///
  /// - Parameter time: as for `HeldBackWords`.
  package func obstacle(time: (WallTime) -> String? = { _ in nil }) -> String? {
    heldBack.map { HeldBackWords($0, of: self, time: time).clause }
  }
}
