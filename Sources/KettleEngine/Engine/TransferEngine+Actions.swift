import KettleModel
import KettleScheduler

/// Performs the actions of the scheduler.
extension TransferEngine {
  func perform(_ action: TransferAction, at now: Moment) {
    switch action {
    case .beginAttempt(let id, let plan): begin(plan, of: id)
    case .cancelAttempt(let attempt): cancel(attempt)
    case .shortenAttempt(let id, let attempt, let upper):
      live[id].body?.writer?.shorten(attempt, to: upper)
    case .openBody(let id, let attempt, let plan): openBody(plan, of: attempt, for: id)
    case .acceptBody(let id, let attempt, let range):
      acceptBody(of: attempt, range: range, for: id)
    case .acceptDocument(let id, let attempt, let document):
      accept(document, of: attempt, for: id)
    case .acceptSegment(let id, let attempt, let lower, let upper, let key):
      acceptSegment(of: attempt, from: lower, upTo: upper, key, for: id)
    case .closeBody(let id, let operation): closeBody(id, operation)
    case .discardPartialFile(let id, let operation, let resumeData):
      noteKept(resumeData, of: id)
      abortUpload(of: resumeData, for: id)
      discard(resumeData, of: id, as: operation)
    case .checkBlocks(let id, let operation, let resumeData):
      checkBlocks(of: resumeData, for: id, as: operation)
    case .computeDigest(let id, let operation, let resumeData, let algorithm):
      computeDigest(algorithm, of: resumeData, for: id, as: operation)
    case .unpackFile(let id, let operation, let resumeData):
      unpack(resumeData, of: id, as: operation)
    case .storeFile(let id, let operation, let resumeData):
      store(resumeData, of: id, as: operation)
    case .readTitle(let id, let resumeData): readTitle(of: id, resumeData)
    case .placeFile(let id, let operation, let resumeData, let policy):
      live[id].digest = nil
      if let target = scheduler.machines[id]?.spec.options.repairs {
        return patch(target, with: resumeData, of: id, as: operation)
      }
      if scheduler.machines[id]?.spec.objectPrefix != nil {
        return publish(resumeData, of: id, as: operation)
      }
      files.placing.enqueue(
        FilePlacing.Order(
          id: id, operation: operation,
          file: fileToFinish(resumeData, of: id, onConflict: policy),
          checksum: scheduler.machines[id]?.spec.checksum))
    case .discardFinishedFile(let id, let file, let binAction):
      files.names.asyncAlone { [storage = files.storage] in
        _ = storage.moveTogether { storage.discard(file, of: id, into: binAction, by: $0) }
      }
    case .limit(let id, let limit): transport.limit(id, toBytesPerSecond: limit)
    case .addMembers(let id): addMembers(of: id)
    }
  }

  // MARK: Attempts

  private func begin(_ plan: AttemptPlan, of id: TransferID) {
    attempts[plan.attempt] = LiveAttempt(transfer: id, requested: plan.requested)
    if plan.requested?.comparedUpTo == nil { live[id].observed.currentURL = plan.url }
    notePrimary(plan, of: id)
    live[id].observation?.sentByteCount = nil
    // What an earlier request has sent is not sent now.
    if let rest = plan.content?.rest { live[id].observation?.toldByteCount = rest.offset }
    let spec = scheduler.machines[id]?.spec
    var timeouts = configuration.timeouts.bounded(by: spec?.task)
    timeouts.adapt(to: spec?.options ?? .none, patienceDoublings: plan.patienceDoublings)
    // A host that has responded can be reached at the address that is tried first.
    let isReachable = plan.requested != nil || scheduler.outages.hasResponded(plan.url.origin)
    if isReachable { timeouts.establishMilliseconds = Self.establishMilliseconds }
    attempts[plan.attempt]?.patienceMilliseconds = max(
      timeouts.idleMilliseconds, timeouts.connectMilliseconds)
    var request = AttemptRequest(
      id: plan.attempt, transfer: id, url: plan.url, minimumReach: plan.minimumReach,
      headers: plan.headers, login: plan.login, loginScheme: plan.loginScheme,
      caCertificatePath: plan.caCertificatePath, timeouts: timeouts,
      content: plan.content, serverTrust: plan.trust.asServerTrust,
      certificate: plan.certificate, limitBytesPerSecond: spec?.limitBytesPerSecond)
    request.listsDirectory = plan.listsDirectory
    request.reuse = plan.reuse.asRequestReuse
    request.version = plan.streamUse.asRequestVersion
    request.proxy = spec?.options.proxy
    request.isMeasured = spec?.task != nil
    request.netrcPath = spec.flatMap { netrcPath(for: plan, of: $0) }
    begin(request, of: spec)
  }

  /// The kernel repeats its request for a connection after one second, and then after ever longer
  /// times.
  static let establishMilliseconds: Int64 = 2000

  /// Further connections request the URL to which the redirects of the first one led.
  private func notePrimary(_ plan: AttemptPlan, of id: TransferID) {
    guard let download = scheduler.machines[id]?.download, download.body == .closed,
      let primary = download.connection(of: plan.attempt)
    else { return }
    live[id].observation?.opens(
      plan.url, redirectCount: primary.redirects.count, at: clock.now().wall)
  }

  private func acceptBody(
    of attempt: AttemptID, range: ByteRange?, for id: TransferID
  ) {
    // The attempt may have been cancelled during the commit.
    guard let writer = live[id].body?.writer, let one = attempts[attempt] else { return }
    switch one.phase {
    // A small body flows before its file is recorded.
    case .flowing: break
    case .awaitingHeaders, .asking:
      let sink = writer.begin(
        attempt, from: range?.lower ?? 0, one.bound(of: range), trust: one.trust,
        comparedUpTo: one.requested?.comparedUpTo)
      // Other attempts may have taken over its end during the commit.
      let connection = scheduler.machines[id]?.download?.connection(of: attempt)
      if let upper = connection?.range?.upper { writer.shorten(attempt, to: upper) }
      attempts[attempt]?.phase = .flowing
      transport.accept(attempt, into: sink)
    }
    post(.event(.body(id, .recorded)))
  }

  // MARK: The partial file

  private func openBody(_ plan: BodyPlan, of attempt: AttemptID, for id: TransferID) {
    guard let record = scheduler.machines[id]?.record else { return }
    let destination = ObjectDestination(record.spec)
    let opening = BodyOpening(
      files: files.storage, id: id, spec: record.spec,
      // What is to become an object is a file first.
      directory: destination == nil
        ? rows.directory(of: record.spec) : configuration.documentsDirectory,
      destination: destination, objects: files.objects,
      storedPieces: { [archive = store.archive] id in try archive.pieces(of: id) })
    if !live[id].needsFileFirst,
      let file = LatePartialFile(
        opening, plan, byteCountMax: configuration.lateFileByteCountMax)
    {
      return letFlow(into: file, plan, of: attempt, id)
    }
    let body = OpeningBody(attempt)
    live[id].body = .opening(body)
    let open: WorkerPool.Work = { [weak self] in
      let result = Result { () throws(TransferFailure) in try opening.open(plan, body.copying) }
      self?.post(.bodyOpened(id, attempt, result))
    }
    let begin: @Sendable () -> Void = {
      [names = files.names, digests = files.digests, stores = files.stores] in
      // Those of other transfers are opened meanwhile.
      if destination != nil { return stores.async(open) }
      names.async { if opening.copies(plan) { digests.async(open) } else { open() } }
    }
    // Opening truncates the file to its durable bytes. The store must have forgotten all others.
    if plan.cutsFile, !live[id].isRecorded { submit([]) { _ in begin() } } else { begin() }
  }

  private func fileToFinish(
    _ resumeData: ResumeData, of id: TransferID, onConflict policy: ConflictPolicy
  ) -> FileToFinish {
    var file = FileToFinish(resumeData: resumeData, onConflict: policy)
    if scheduler.machines[id]?.spec.options.keepsServerTime == true {
      file.modifiedAt = resumeData.validator?.lastModified.flatMap(HTTPDate.parse)
    }
    return file
  }

  func closeBody(_ id: TransferID, _ operation: OperationID) {
    switch live[id].body {
    case nil: post(.bodyClosed(id, operation, .success(nil)))
    case .opening(var body):
      body.close = operation
      live[id].body = .opening(body)
    // A late body is settled when its only attempt is over, and nothing is closed before that.
    case .late, .closing: break
    case .open(let writer, _):
      live[id].body = .closing(writer)
      if let synced = writer.settled {
        return post(.bodyClosed(id, operation, .success(ClosedBody(synced)), synced.digests))
      }
      writer.queue.enqueue { [weak self] in
        let synced = Result { () throws(TransferFailure) in try writer.finish() }
        let digests = (try? synced.get())?.digests ?? []
        self?.post(.bodyClosed(id, operation, synced.map { ClosedBody($0) }, digests))
      }
    }
  }

  private func readTitle(of id: TransferID, _ resumeData: ResumeData) {
    files.names.async { [weak self, storage = files.storage] in
      let bytes = storage.beginning(
        of: resumeData.partialIdentity, byteCountMax: PageTitle.byteCountMax)
      if let title = bytes.flatMap(PageTitle.title) {
        self?.post(.event(.file(id, .titleRead(title))))
      }
    }
  }

  private func discard(
    _ resumeData: ResumeData, of id: TransferID, as operation: OperationID
  ) {
    live[id].discardFile()
    files.discard(.init(id: id, operation: operation, resumeData: resumeData)) {
      [weak self] order in
      self?.post(.event(.file(order.id, .discarded(by: order.operation))))
    }
  }
}

/// Requests, with the user's settings for single hosts. These do not hold for tasks of programs.
extension TransferEngine {
  /// Sets the settings. Attempts under way keep theirs.
  package func setHosts(_ hosts: HostSettings) { configuration.hosts = hosts }

  /// Adds what the user has set for the host of a request, and begins it. If its headers are in a
  /// file, that is read first: without them nothing is sent.
  private func begin(_ request: AttemptRequest, of spec: TransferSpec?) {
    guard let spec, spec.task == nil, request.url.scheme.family == .http else {
      return transport.begin(request)
    }
    var request = request
    let hosts = configuration.hosts
    if let agent = hosts.userAgent.value(for: request.url.host),
      !request.hasHeader("User-Agent"), let field = HeaderField(name: "User-Agent", value: agent)
    {
      request.headers.append(field)
    }
    guard let path = hosts.headerPaths[request.url.origin] else {
      return transport.begin(request)
    }
    let attempt = request.id
    attempts[attempt]?.phase = .awaitingHeaders(request)
    files.names.async { [weak self, readHeaders = configuration.readHeaders] in
      self?.post(.headersRead(attempt, readHeaders(path)))
    }
  }

  /// Begins an attempt with the headers that it waited for, unless it was cancelled meanwhile. What
  /// the transfer has of its own comes first; cookies are added to its own.
  func headersRead(
    _ result: Result<[HeaderField], TransferFailure>, for attempt: AttemptID
  ) {
    guard case .awaitingHeaders(var request)? = attempts[attempt]?.phase else { return }
    attempts[attempt]?.phase = .asking
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
    let one = attempts[attempt]
    if let id = one?.transfer, case .opening(let body)? = live[id].body, body.attempt == attempt {
      body.copying.abandon()
    }
    if case .awaitingHeaders? = one?.phase {
      attempts[attempt]?.phase = .asking
      post(.transport(.ended(attempt, .cancelled)))
    } else {
      transport.cancel(attempt)
    }
  }

  /// The file that may supply the login of a request; nil if the request has one, or the user wants
  /// none of it. A program has its own logins.
  private func netrcPath(for plan: AttemptPlan, of spec: TransferSpec) -> String? {
    guard spec.task == nil, plan.login == nil,
      spec.options.usesNetrc ?? configuration.hosts.usesNetrc.value(for: plan.url.host)
        ?? configuration.usesNetrc,
      !plan.headers.contains(where: { $0.isNamed("Authorization") })
    else { return nil }
    return configuration.netrcPath
  }
}

/// Bodies that are documents, and segments of playlists.
extension TransferEngine {
  func accept(
    _ document: RequestPurpose.Document, of attempt: AttemptID, for id: TransferID
  ) {
    guard attempts[attempt] != nil else { return }
    let sink = DocumentSink(document, url: urlText(of: attempt, id))
    attempts[attempt]?.document = sink
    attempts[attempt]?.phase = .flowing
    transport.accept(attempt, into: sink)
  }

  /// Appends a body to the open partial file. Its bytes count when it has ended properly.
  func acceptSegment(
    of attempt: AttemptID, from lower: Int64, upTo upper: Int64?, _ key: SegmentKey?,
    for id: TransferID
  ) {
    // The attempt may have been cancelled during the commit.
    guard let writer = live[id].body?.writer, attempts[attempt] != nil else { return }
    let plain = writer.begin(
      attempt, from: lower, upper.map { .whole($0) } ?? .none, trust: .atItsEnd)
    attempts[attempt]?.phase = .flowing
    if let key {
      let sink = DecryptingSink(
        writer, attempt: attempt, files.storage.beginDecryption(key),
        encryptedByteCount: key.encryptedByteCount, url: urlText(of: attempt, id))
      attempts[attempt]?.decryption = sink
      transport.accept(attempt, into: sink)
    } else {
      transport.accept(attempt, into: plain)
    }
    post(.event(.body(id, .recorded)))
  }

  private func urlText(of attempt: AttemptID, _ id: TransferID) -> String {
    let machine = scheduler.machines[id]
    return machine?.download?.connection(of: attempt)?.url.text ?? machine?.spec.url.text ?? ""
  }
}

extension FileStorage {
  /// Moves a finished file to the bin, or deletes it without an action. Returns false when it was
  /// left.
  func discard(
    _ file: FinishedFile, of id: TransferID, into binAction: Int64?, by moves: any FileMoves
  ) -> Bool {
    guard let binAction else { return removeFinishedFile(file) }
    return moves.moveFinishedFile(file, toName: BinEntry.fileName(of: id, in: binAction))
  }
}

extension LiveAttempt {
  /// Where the body must end.
  fileprivate func bound(of range: ByteRange?) -> BodySegment.Bound {
    guard let range else { return .none }
    if requested == nil { return .whole(range.upper) }
    return switch trust {
    case .atOnce: .part(range.upper)
    case .atItsEnd: .exactly(range.upper)
    }
  }
}

extension ClosedBody {
  fileprivate init(_ synced: PartialFileWriter.Synced) {
    self.init(
      durable: synced.durable, modifiedNanoseconds: synced.modifiedNanoseconds,
      sample: synced.sample, wrong: synced.wrong)
  }
}

extension ConnectionReuse {
  fileprivate var asRequestReuse: AttemptRequest.Reuse {
    switch self {
    case .permitted: .permitted
    case .none: .none
    }
  }
}

extension StreamUse {
  fileprivate var asRequestVersion: AttemptRequest.Version {
    switch self {
    case .none: .http1
    case .trial, .beside: .http2IfOffered
    }
  }
}

extension AttemptPlan.Trust {
  fileprivate var asServerTrust: ServerTrust {
    switch self {
    case .system: .system
    case .keys(let keys, let asksForOthers): .keys(keys, asksForOthers: asksForOthers)
    }
  }
}

extension AttemptTimeouts {
  /// Returns the timeouts with the program's limit on silence, applied to the whole request. A slow
  /// body is not given up before that either. The time for connecting remains our own decision:
  /// another connection is soon tried.
  func bounded(by task: TaskOptions?) -> AttemptTimeouts {
    guard let silence = task?.requestTimeoutMilliseconds, silence > 0 else { return self }
    var bounded = self
    bounded.idleMilliseconds = silence
    bounded.headMilliseconds = silence
    bounded.connectMilliseconds = min(connectMilliseconds, silence)
    bounded.slowMilliseconds = max(slowMilliseconds, silence)
    return bounded
  }

  /// Uses what the user has chosen, and waits longer for a server that was silent before.
  mutating func adapt(to options: TransferOptions, patienceDoublings: Int) {
    if let seconds = options.connectSeconds { connectMilliseconds = Int64(seconds) * 1000 }
    if let seconds = options.silenceSeconds {
      idleMilliseconds = Int64(seconds) * 1000
      headMilliseconds = idleMilliseconds
    }
    idleMilliseconds <<= Int64(patienceDoublings)
    headMilliseconds = max(headMilliseconds, idleMilliseconds)
    slowMilliseconds = max(slowMilliseconds, idleMilliseconds)
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
