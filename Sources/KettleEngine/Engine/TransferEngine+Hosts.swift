import KettleModel
import KettleScheduler

/// The user's settings for single hosts. They do not hold for tasks of programs.
extension TransferEngine {
  /// Sets the settings. Attempts under way keep theirs.
  package func setHosts(_ hosts: HostSettings) { hostSettings = hosts }

  /// Adds what the user has set for the host of a request, and begins it. If its headers are in a
  /// file, that is read first: without them nothing is sent.
  func begin(_ request: AttemptRequest, of spec: TransferSpec?) {
    guard let spec, spec.task == nil, request.url.scheme.family == .http else {
      return transport.begin(request)
    }
    var request = request
    if let agent = hostSettings.userAgent.value(for: request.url.host),
      !request.hasHeader("User-Agent"), let field = HeaderField(name: "User-Agent", value: agent)
    {
      request.headers.append(field)
    }
    guard let path = hostSettings.headerPaths[request.url.origin] else {
      return transport.begin(request)
    }
    let attempt = request.id
    awaitingHeaders[attempt] = request
    namePool.async { [weak self, readHeaders = configuration.readHeaders] in
      self?.post(.headersRead(attempt, readHeaders(path)))
    }
  }

  /// Begins an attempt with the headers that it waited for, unless it was cancelled meanwhile. What
  /// the transfer has of its own comes first; cookies are added to its own.
  func headersRead(
    _ result: Result<[HeaderField], TransferFailure>, for attempt: AttemptID
  ) {
    guard var request = awaitingHeaders.removeValue(forKey: attempt) else { return }
    switch result {
    case .success(let fields):
      let new = fields.filter { field in
        if field.isNamed("Cookie") { return false }
        let isOtherLogin = request.login != nil && field.isNamed("Authorization")
        return !isOtherLogin && !request.hasHeader(field.name)
      }
      request.headers += new
      for field in fields where field.isNamed("Cookie") { request.addCookies(field) }
      if new.contains(where: { $0.isNamed("Authorization") }) { request.netrcPath = nil }
      transport.begin(request)
    case .failure(let failure): post(.transport(.ended(attempt, .failed(failure))))
    }
  }

  func cancel(_ attempt: AttemptID) {
    if let id = attempts[attempt]?.transfer, case .opening(let body)? = bodies[id],
      body.attempt == attempt
    {
      body.copying.abandon()
    }
    if awaitingHeaders.removeValue(forKey: attempt) == nil {
      transport.cancel(attempt)
    } else {
      post(.transport(.ended(attempt, .cancelled)))
    }
  }

  /// The file that may supply the login of a request; nil if the request has one, or the user wants
  /// none of it. A program has its own logins.
  func netrcPath(for plan: AttemptPlan, of spec: TransferSpec) -> String? {
    guard spec.task == nil, plan.login == nil,
      spec.options.usesNetrc ?? hostSettings.usesNetrc.value(for: plan.url.host)
        ?? configuration.usesNetrc,
      !plan.headers.contains(where: { $0.isNamed("Authorization") })
    else { return nil }
    return configuration.netrcPath
  }
}

extension AttemptRequest {
  fileprivate func hasHeader(_ name: String) -> Bool { headers.contains { $0.isNamed(name) } }

  /// Adds cookies behind those that the request has: they are all in one field (RFC 6265, section
  /// 5.4).
  fileprivate mutating func addCookies(_ field: HeaderField) {
    guard let index = headers.firstIndex(where: { $0.isNamed("Cookie") }) else {
      headers.append(field)
      return
    }
    let own = headers[index]
    headers[index] = HeaderField(received: own.name, own.value + "; " + field.value)
  }
}

extension HeaderField {
  fileprivate func isNamed(_ name: String) -> Bool { self.name.lowercased() == name.lowercased() }
}
