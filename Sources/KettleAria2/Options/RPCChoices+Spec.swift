import KettleControl
import KettleModel

extension RPCChoices {
  /// The most connections that a transfer may have.
  package static let connectionsMax = 64

  /// Applies everything but the directory and the name to a new transfer.
  ///
  /// - Parameters:
  ///   - urls: where the file comes from, the URL of the transfer first.
  ///   - login: in the URL; those in the options go before it.
  package func apply(
    to spec: inout TransferSpec, _ urls: [TransferURL], login: Login?
  ) throws(RPCError) {
    spec.connections = connections(urlCount: urls.count)
    spec.headers = completeHeaders(for: spec.url)
    spec.login = ownLogin ?? login
    spec.checksum = checksum
    spec.limitBytesPerSecond = limit ?? nil
    spec.beginning = isPaused ? .paused : .queued
    spec.onConflict = conflictPolicy
    spec.options.continues = continues
    spec.options.attemptsMax = attemptsMax
    spec.options.retryDelaySeconds = retryDelaySeconds
    spec.options.silenceSeconds = silenceSeconds
    spec.options.connectSeconds = connectSeconds
    spec.options.usesNetrc = usesNetrc
    spec.options.keepsServerTime = keepsServerTime ?? false
    spec.options.proxy = try proxies.choice()
    spec.options.mirrors = Array(urls.dropFirst().prefix(TransferOptions.mirrorCountMax))
    if limit == .some(nil) { spec.options.chosen.insert(.limit) }
    if overwrites != nil || renames != nil { spec.options.chosen.insert(.onConflict) }
    if keepsServerTime == false { spec.options.chosen.insert(.serverTime) }
    spec.options.rpc = RPCOptions(gid: gid?.description, echoed: echoed)
    if let part = spec.refusedPart { throw .refused("The value of \(part) cannot be used") }
  }

  /// `split` counts for all servers together, `max-connection-per-server` for each.
  private func connections(urlCount: Int) -> Int? {
    let perServer = connectionsPerServer.map { min($0, Self.connectionsMax) * max(urlCount, 1) }
    let wanted = [split, perServer].compactMap(\.self).min()
    return wanted.map { min($0, Self.connectionsMax) }
  }

  /// A header that is given as such goes before the option for it.
  private func completeHeaders(for url: TransferURL) -> [HeaderField] {
    func isGiven(_ name: String) -> Bool {
      headers.contains { $0.name.lowercased() == name.lowercased() }
    }
    var fields = headers
    let referer = referer == "*" ? url.text : referer
    for (name, value) in [("User-Agent", userAgent), ("Referer", referer)] {
      guard let value, !value.isEmpty, !isGiven(name),
        let field = HeaderField(name: name, value: value)
      else { continue }
      fields.append(field)
    }
    return fields
  }

  private var ownLogin: Login? {
    guard let user, !user.isEmpty else { return nil }
    return Login(user: user, password: password ?? "")
  }

  private var conflictPolicy: ConflictPolicy {
    if overwrites == true { return .replace }
    return renames == false ? .skip : .rename
  }
}
