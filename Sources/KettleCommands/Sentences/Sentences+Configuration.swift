import KettleConfiguration
import KettleControl
import KettleDashboard
import KettleModel

/// Sentences about the configuration file and the RPC.
extension Sentences {
  static func noConfiguration(_ path: String) -> String {
    "There is no \(quoted(path, limit: 4096)), so the defaults apply"
  }

  static func configurationIsGood(_ path: String) -> String {
    "Every setting in \(quoted(path, limit: 4096)) is valid"
  }

  static func notConfigured(_ key: String, path: String) -> String {
    "\(quoted(path, limit: 4096)) does not set \(quoted(key)), so its default applies; "
      + "\"man kettle-config\" lists the keys"
  }

  static func appliesLater(_ table: String) -> String {
    "The changes in [\(table.sanitizedForDisplay(limit: 100))] apply after \"kettle daemon stop\""
  }

  // MARK: What the file names

  static func missingProgram(_ program: String, key: String) -> String {
    "The program \(quoted(program, limit: 4096)) of \(quoted(key)) cannot be started; install it, "
      + "or correct its path"
  }

  static func missingDirectory(_ path: String, key: String) -> String {
    "The directory \(quoted(path, limit: 4096)) of \(quoted(key)) does not exist; make it"
  }

  static func unusableHeaders(_ path: String, host: String, _ detail: String) -> String {
    "The file \(quoted(path, limit: 4096)) with headers for \(quoted(host)) cannot be used "
      + "(\(detail.sanitizedForDisplay(limit: 200))); until then nothing is sent to that host"
  }

  static let rpcWithoutSecret =
    "The RPC is enabled but has no secret, so it stays closed; \"kettle rpc enable\" makes one"

  static let valueWithHyphen =
    "A value that begins with a hyphen stands behind \"--\", as in "
    + "\"kettle config set hooks.completed -- sh -c '...'\""

  static func of(_ error: ConfigurationError) -> String {
    switch error.what {
    case .problem(let problem): problem.sentence(path: error.path)
    case .refused(let problem): problem.refusal(path: error.path)
    case .unwritable(let detail):
      "\(quoted(error.path, limit: 4096)) cannot be written "
        + "(\(detail.sanitizedForDisplay(limit: 200))); nothing was changed"
    case .locked:
      "\(quoted(error.path, limit: 4096)) is being changed by another command, so nothing was "
        + "changed; try again"
    }
  }

  // MARK: RPC

  static let rpcIsClosed = "The RPC is closed"
  static let noSecret = "There is no secret yet; \"kettle rpc enable\" makes one"

  /// What to enter in a front end.
  static func rpcInstructions(port: Int, secret: String) -> [String] {
    [
      "The RPC of aria2 is open on port \(port) of this machine. In AriaNg, enter this under",
      "AriaNg Settings, RPC:",
      "  Address   127.0.0.1:\(port)/jsonrpc",
      "  Protocol  HTTP or WebSocket",
      "  Secret    \(secret)",
      "Programs that speak XML-RPC use http://127.0.0.1:\(port)/rpc.",
    ]
  }

  static func rpcProblem(_ status: DescribeRPC.Result) -> String {
    status.problem?.sanitizedForDisplay(limit: 1000)
      ?? "The RPC is closed; \"kettle config check\" may say why"
  }

  static func rpcStatus(_ status: DescribeRPC.Result) -> [String] {
    guard let port = status.port else {
      if status.problem != nil { return [rpcProblem(status)] }
      return ["The RPC is closed; \"kettle rpc enable\" opens it"]
    }
    func list(_ texts: [String]) -> String {
      texts.map { $0.sanitizedForDisplay(limit: 300) }.joined(separator: ", ")
    }
    let origins = status.allowedOrigins.isEmpty ? "" : ", " + list(status.allowedOrigins)
    return [
      "The RPC is open on port \(port) of this machine",
      "Directories: \(list(status.directories))",
      "Pages: those of this machine and extensions of browsers\(origins)",
    ]
  }
}

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
    if host.queuedCount > 0 { parts.append("\(CountText.text(host.queuedCount)) queued") }
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
      let next = outage.nextProbeAt.map { ", next attempt at \(time($0, clock))" } ?? ""
      let cause = outage.error.sentenceWhileRetrying.sanitizedForDisplay(limit: 400)
      parts.append("unreachable since \(time(outage.since, clock))\(next): \(cause)")
    }
    return host.origin.sanitizedForDisplay(limit: 300) + "  " + parts.joined(separator: "; ")
  }

  private static func refusal(_ limit: HostSnapshot.Limit) -> String {
    limit.status.map { "a \($0)" } ?? "a refused connection"
  }
}

/// Sentences about the user's queues.
extension Sentences {
  static func assigned(_ id: TransferID, to queue: QueueName) -> String {
    "\(id) is in the queue \(quoted(queue.text))"
  }

  /// One line about a queue: what it permits, whether it is open, and what it has.
  static func of(_ queue: QueueSnapshot, _ clock: any CommandClock) -> String {
    var parts: [String] = []
    if let hours = queue.hours {
      parts.append(hours.sanitizedForDisplay(limit: 60) + ", " + standing(of: queue, clock))
    }
    switch queue.waitsFor {
    case .mainsPower: parts.append("waits for mains power")
    case .unmeteredNetwork: parts.append("waits for a network without costs")
    case nil: break
    }
    parts.append(
      queue.transfersMax.map { "\(queue.runningCount) of \($0) running" }
        ?? "\(queue.runningCount) running")
    if let count = queue.queuedCount { parts.append("\(CountText.text(count)) queued") }
    return queue.name.text + "  " + parts.joined(separator: "; ")
  }

  private static func standing(of queue: QueueSnapshot, _ clock: any CommandClock) -> String {
    let until = queue.until.map { " until " + timeText($0, clock) } ?? ""
    return (queue.isOpen ? "open" : "closed") + until
  }
}

/// Sentences about the rules of the configuration file.
extension Sentences {
  static func noRules(_ path: String) -> String {
    "There are no [[rules]] in \(quoted(path, limit: 4096)); kettle-config(5) describes them"
  }

  /// A rule: its conditions, and one line for each effect.
  static func of(_ rule: TransferRule) -> [String] {
    let conditions = [
      ("host", rule.conditions.hosts), ("extension", rule.conditions.fileExtensions),
      ("type", rule.conditions.types.map(\.text)), ("name", rule.conditions.names.map(\.text)),
    ]
    let parts = conditions.filter { !$0.1.isEmpty }
      .map { "\($0.0) \($0.1.joined(separator: " or "))" }
    let lines = effects(rule.effects)
    return ["Rule \(rule.number): \(shown(parts.joined(separator: ", ")))"]
      + (lines.isEmpty ? ["  sets nothing, and no later rule applies"] : lines)
  }

  /// What was found for a URL.
  ///
  /// - Parameter effects: what the rule that matches sets.
  static func of(
    _ decision: TransferRules.Decision, _ effects: TransferRule.Effects?
  ) -> [String] {
    var lines: [String] = []
    if let match = decision.match {
      let words = match.use.words
      lines.append("\(words.prefix(1).uppercased())\(words.dropFirst()) applies")
      let effects = effects.map(self.effects) ?? []
      lines += effects.isEmpty ? ["  sets nothing"] : effects
    } else {
      lines.append("No rule applies")
    }
    if !decision.open.isEmpty {
      let numbers = decision.open.map(String.init).joined(separator: " or ")
      let instead = decision.match == nil ? "" : " instead"
      lines.append(
        "Rule \(numbers) may apply\(instead), which the type or name from the server decides")
    }
    return lines
  }

  private static func effects(_ effects: TransferRule.Effects) -> [String] {
    [
      effects.directory.map { "directory \(shown($0))" },
      effects.title.map { "title \(shown($0))" },
      effects.limitBytesPerSecond.map { "limit \(RateText.text($0))" },
      effects.priority.map { "priority \(PriorityText.text($0))" },
      effects.connections.map { "connections \($0)" },
      effects.queue.map { "queue \($0.text)" },
    ].compactMap { $0.map { "  " + $0 } }
  }

  private static func shown(_ text: String) -> String { text.sanitizedForDisplay(limit: 4096) }
}
