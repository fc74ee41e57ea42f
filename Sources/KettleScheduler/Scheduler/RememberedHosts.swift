import KettleModel

/// What the user has decided for every transfer from a host: logins, and servers to trust.
package struct RememberedHosts: Sendable, Hashable {
  package private(set) var hosts: [Origin: RememberedHost]

  package init(_ hosts: [Origin: RememberedHost] = [:]) { self.hosts = hosts }

  package subscript(_ origin: Origin) -> RememberedHost? { hosts[origin] }

  /// Remembers what the user decided for one transfer. Returns the origins that it concerns.
  mutating func remember(_ spec: TransferSpec) -> Set<Origin> {
    var changed: Set<Origin> = []
    if let login = spec.login, self[spec.url.origin]?.login != login {
      hosts[spec.url.origin, default: RememberedHost()].login = login
      changed.insert(spec.url.origin)
    }
    for server in spec.trustedServers {
      guard case .success(let parsed) = TransferURL.parse(server.origin) else { continue }
      let origin = parsed.url.origin
      if self[origin]?.trustedKeys.contains(server.key) == true { continue }
      hosts[origin, default: RememberedHost()].trustedKeys.append(server.key)
      changed.insert(origin)
    }
    return changed
  }

  /// Returns whether something was remembered about the origin.
  mutating func forget(_ origin: Origin) -> Bool { hosts.removeValue(forKey: origin) != nil }

  /// Returns the request of a user's transfer with what is remembered for its hosts.
  func completed(_ spec: TransferSpec) -> TransferSpec {
    if hosts.isEmpty || spec.task != nil { return spec }
    var completed = spec
    completed.login = spec.login ?? hosts[spec.url.origin]?.login
    // It may be redirected to any of them.
    for (origin, remembered) in hosts {
      completed.trustedServers += remembered.trustedKeys.map {
        TrustedServer(origin: origin.text, key: $0)
      }
    }
    return completed
  }
}

extension TransferFacts {
  /// Trusts a server for this transfer.
  mutating func trust(_ server: TrustedServer) {
    retryCount = 0
    if !spec.trustedServers.contains(server) { spec.trustedServers.append(server) }
  }
}

/// Decisions of the user that hold for a host.
extension TransferScheduler {
  /// Applies what the user decided for a transfer to every transfer from its hosts, present and
  /// future. Those that wait for the same decision continue.
  mutating func remember(
    decisionsFor id: TransferID, _ output: inout SchedulerOutput, at now: Moment
  ) -> ControlResult {
    guard let spec = machines[id]?.spec else { return .refused(.unknown) }
    if spec.login == nil, spec.trustedServers.isEmpty { return .refused(.nothingToDecide) }
    for origin in remembered.remember(spec) {
      output.changes.append(.rememberHost(origin, remembered[origin] ?? RememberedHost()))
    }
    let remembered = remembered
    for other in machines.values.filter({ $0.id != id && !$0.isTask }).map(\.id).sorted() {
      update(other, into: &output) { $0.answered(by: remembered, at: now) }
    }
    return .applied
  }

  /// Forgets the decisions of the user about the hosts with this name.
  ///
  /// - Parameter name: a host, a host and port, or an origin.
  /// - Returns: the origins about which something was remembered.
  package mutating func forgetHosts(named name: String) -> (origins: [String], SchedulerOutput) {
    var output = SchedulerOutput()
    var forgotten: [String] = []
    for origin in remembered.hosts.keys where origin.isNamed(name) {
      guard remembered.forget(origin) else { continue }
      output.changes.append(.rememberHost(origin, RememberedHost()))
      forgotten.append(origin.text)
    }
    return (forgotten.sorted(), output)
  }
}

extension TransferMachine {
  /// Continues if it waits for a login or for trust that is remembered now.
  fileprivate mutating func answered(by remembered: RememberedHosts, at now: Moment) -> Transition {
    guard let waiting = state.waiting else { return .none }
    switch waiting.reason {
    case .needsLogin:
      guard let login = remembered[spec.url.origin]?.login, login != requestSpec.login else {
        return .none
      }
      return spec.login == nil ? start(at: now) : relink(to: spec.url, login: login, at: now)
    case .needsDecision:
      guard let certificate = waiting.failure.certificate,
        remembered.hosts.contains(where: { origin, host in
          origin.text == certificate.origin && host.trustedKeys.contains(certificate.key)
        })
      else { return .none }
      return start(at: now)
    case .retry, .retryAfter, .network, .hostUnreachable, .proxy, .diskSpace, .discretionary,
      .needsLink, .members:
      return .none
    }
  }
}
