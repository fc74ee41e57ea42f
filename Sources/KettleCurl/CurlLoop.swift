import CKettleCurl
import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// The event loop of the transport's thread. Only that thread uses its contents and every
/// `CurlAttempt`.
final class CurlLoop {
  private let multi: UnsafeMutableRawPointer
  private let queue: CommandQueue
  private let settings: CurlSettings
  private let events: @Sendable (TransportEvent) -> Void
  private let owner = pthread_self()

  private var attempts: [AttemptID: CurlAttempt] = [:]
  /// Exchanges that ended before their body was accepted; reported upon acceptance.
  private var unreportedEnds: [AttemptID: AttemptEnd] = [:]
  /// Exchanges that ended because libcurl could not look a name up; reported when the reason is
  /// known, and at this time at the latest.
  private var unexplainedEnds: [AttemptID: (failure: TransferFailure, deadline: MonotonicTime)] =
    [:]
  private let names = NameLookup()
  /// Attempts leave these out.
  let silentAddresses: SharedSilentAddresses
  /// Attempts consult these before they accept bytes.
  let limits: SharedSpeedLimits
  /// Counts the turns, so that an attempt can tell whether one takes long.
  private(set) var turnCount: UInt64 = 0
  /// Read once per turn.
  private(set) var now: MonotonicTime
  /// No attempt has a deadline before this; nil when there is no deadline.
  private var nextDeadline: MonotonicTime?

  init(
    multi: UnsafeMutableRawPointer, queue: CommandQueue, settings: CurlSettings,
    limits: SharedSpeedLimits, silentAddresses: SharedSilentAddresses,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) {
    self.multi = multi
    self.queue = queue
    self.settings = settings
    self.limits = limits
    self.silentAddresses = silentAddresses
    self.events = events
    now = .now()
  }

  func run() {
    let locale = UTF8Locale()
    loop: while true {
      switch queue.dequeueAll() {
      case .commands(let commands):
        for command in commands { run(command) }
      case .last(let commands):
        refuse(commands)
        break loop
      }
      turn()
    }
    for attempt in attempts.values { finish(attempt, .cancelled) }
    for id in unreportedEnds.keys { emit(.ended(id, .cancelled)) }
    unreportedEnds = [:]
    for id in unexplainedEnds.keys { emit(.ended(id, .cancelled)) }
    unexplainedEnds = [:]
    curl_multi_cleanup(multi)
    locale?.restore()
  }

  /// Lets libcurl do what it can, then sleeps until there is more to do.
  private func turn() {
    var runningCount: Int32 = 0
    turnCount += 1
    let performed = curl_multi_perform(multi, &runningCount)
    collectFinished()
    checkDeadlines()
    resumeThrottled()
    let polled = curl_multi_poll(multi, nil, 0, pollMilliseconds(), nil)
    now = .now()
    for code in [performed, polled] where code != CURLM_OK { failAll(code) }
  }

  private func run(_ command: Command) {
    switch command {
    case .begin(let request): begin(request)
    case .accept(let id, let sink):
      if let end = unreportedEnds.removeValue(forKey: id) {
        emit(.ended(id, end))
      } else if let attempt = attempts[id] {
        finishIfFailed(attempt, attempt.accept(into: sink))
      }
    case .resumeReceiving(let id):
      if let attempt = attempts[id] { finishIfFailed(attempt, attempt.resumeReceiving()) }
    case .cancel(let id):
      if unreportedEnds.removeValue(forKey: id) != nil
        || unexplainedEnds.removeValue(forKey: id) != nil
      {
        emit(.ended(id, .cancelled))
      } else if let attempt = attempts[id] {
        finish(attempt, .cancelled)
      }
    case .nameChecked(let id, let answer): explain(id, answer)
    case .addressesFound(let id, let addresses): moveOn(id, to: addresses)
    case .limit(let transfer, let bytesPerSecond):
      limits.limit(transfer, to: bytesPerSecond, at: now)
    case .limitAll(let bytesPerSecond):
      limits.limitAll(to: bytesPerSecond, at: now)
    case .resumeThrottled(let ids): resumeThrottled(ids)
    }
  }

  private func begin(_ request: AttemptRequest) {
    precondition(
      attempts[request.id] == nil && unreportedEnds[request.id] == nil,
      "An attempt needs an id of its own. In use: \(request.id.rawValue)")
    switch CurlAttempt.make(request, settings: settings, loop: self) {
    case .failure(let failure): emit(.ended(request.id, .failed(failure)))
    case .success(let attempt):
      guard curl_multi_add_handle(multi, attempt.easy) == CURLM_OK else {
        let failure = TransferFailure(
          .internalProblem, on: request.url.hostAndPort, detail: "libcurl accepts no more transfers"
        )
        return emit(.ended(request.id, .failed(failure)))
      }
      attempts[request.id] = attempt
      limits.limit(request.transfer, to: request.limitBytesPerSecond, at: now)
      attempt.scheduleDeadline()
    }
  }

  /// The queue was closed: cancels attempts that have not begun.
  private func refuse(_ commands: [Command]) {
    for case .begin(let request) in commands { emit(.ended(request.id, .cancelled)) }
  }
}

// MARK: - Ends

extension CurlLoop {
  private func collectFinished() {
    var remaining: Int32 = 0
    while let message = curl_multi_info_read(multi, &remaining) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      // The message is freed together with the handle.
      let code = message.pointee.data.result
      guard let attempt = CurlAttempt.of(message.pointee.easy_handle) else { continue }
      finishExchange(attempt, code)
    }
  }

  private func finishExchange(_ attempt: CurlAttempt, _ code: CURLcode) {
    if attempt.beginsAgain(after: code) || attempt.takesSilentAddresses(after: code) {
      return beginAgain(attempt)
    }
    switch attempt.verdict(on: code) {
    case .ended(let end): finish(attempt, end)
    case .endedBeforeAccept(let end):
      drop(attempt)
      unreportedEnds[attempt.id] = end
    }
  }

  /// libcurl 7.88 delivers the held bytes within curl_easy_pause(3), which then returns a refusal
  /// by the sink.
  private func finishIfFailed(_ attempt: CurlAttempt, _ code: CURLcode) {
    if code != CURLE_OK { finishExchange(attempt, code) }
  }

  private func finish(_ attempt: CurlAttempt, _ end: AttemptEnd) {
    drop(attempt)
    if case .failed(let failure) = end, failure.code == .hostNotFound {
      askAboutName(of: attempt, failure)
    } else {
      emit(.ended(attempt.id, end))
    }
  }

  /// Finds out whether the name is unknown or the name servers are silent.
  private func askAboutName(of attempt: CurlAttempt, _ failure: TransferFailure) {
    let id = attempt.id
    let deadline = now.advanced(byMilliseconds: NameLookup.answerMilliseconds)
    unexplainedEnds[id] = (failure, deadline)
    scheduleCheck(at: deadline)
    names.ask(about: attempt.url.host) { [queue] in queue.send(.nameChecked(id, $0)) }
  }

  private func explain(_ id: AttemptID, _ answer: NameLookup.Answer) {
    guard let failure = unexplainedEnds.removeValue(forKey: id)?.failure else { return }
    switch answer {
    case .unknown: emit(.ended(id, .failed(failure)))
    case .temporary:
      emit(.ended(id, .failed(TransferFailure(.nameServerSilent, on: failure.subject))))
    }
  }

  private func drop(_ attempt: CurlAttempt) {
    if attempt.isMeasured { emit(.measured(attempt.id, attempt.measurement)) }
    attempts[attempt.id] = nil
    limits.remove(attempt.id)
    curl_multi_remove_handle(multi, attempt.easy)
  }

  private func failAll(_ code: CURLMcode) {
    let detail = String(cString: curl_multi_strerror(code))
    for attempt in attempts.values {
      finish(attempt, .failed(TransferFailure(.internalProblem, on: "libcurl", detail: detail)))
    }
  }
}

// MARK: - Deadlines

extension CurlLoop {
  /// Checks the deadlines at `time` at the latest.
  func scheduleCheck(at time: MonotonicTime) {
    nextDeadline = nextDeadline.map { min($0, time) } ?? time
  }

  /// Checks the attempts only when one may be due: bytes only postpone a deadline.
  private func checkDeadlines() {
    guard let due = nextDeadline, due <= now else { return }
    nextDeadline = nil
    for attempt in attempts.values {
      if let end = attempt.endWithoutLibcurl(at: now) {
        finish(attempt, end)
      } else {
        if attempt.mustEstablishAgain(at: now) {
          establishAgain(attempt)
        } else if attempt.looksForAddress(at: now) {
          lookForAddress(of: attempt)
        }
        attempt.scheduleDeadline()
      }
    }
    for (id, end) in unexplainedEnds {
      if end.deadline <= now { explain(id, .temporary) } else { scheduleCheck(at: end.deadline) }
    }
  }

  /// Opens the connection of an attempt again, from the beginning.
  private func establishAgain(_ attempt: CurlAttempt) {
    curl_multi_remove_handle(multi, attempt.easy)
    attempt.establishAgain(at: now)
    addAgain(attempt)
  }

  /// Finds out whether the host has an address other than the silent one.
  private func lookForAddress(of attempt: CurlAttempt) {
    let id = attempt.id
    if let known = settings.addresses(of: attempt.url) { return moveOn(id, to: known) }
    names.findAddresses(of: attempt.url.host) { [queue] in queue.send(.addressesFound(id, $0)) }
  }

  /// Leaves a silent address for another one of the host, if it has one.
  private func moveOn(_ id: AttemptID, to addresses: [IPAddress]) {
    guard let attempt = attempts[id] else { return }
    let host = attempt.url.hostAndPort
    switch attempt.move(among: addresses, at: now) {
    case .none: break
    case .later(let silent):
      silentAddresses.forget(host)
      silentAddresses.record(silent, of: host, at: now)
    case .away(let silent):
      silentAddresses.record(silent, of: host, at: now)
      emit(.addressLeft(id, silent))
      curl_multi_remove_handle(multi, attempt.easy)
      attempt.connectElsewhere()
      attempt.scheduleDeadline()
      addAgain(attempt)
    }
  }

  private func beginAgain(_ attempt: CurlAttempt) {
    curl_multi_remove_handle(multi, attempt.easy)
    attempt.scheduleDeadline()
    addAgain(attempt)
  }

  private func addAgain(_ attempt: CurlAttempt) {
    guard curl_multi_add_handle(multi, attempt.easy) != CURLM_OK else { return }
    let failure = TransferFailure(
      .internalProblem, on: attempt.url.hostAndPort, detail: "libcurl accepts no more transfers")
    finish(attempt, .failed(failure))
  }

  /// Resumes the attempts whose speed limits allow more.
  private func resumeThrottled() {
    guard let turn = limits.nextResumption, turn <= now else { return }
    let ids = limits.resume(at: now)
    resumeThrottled(ids)
    limits.passOn(ids.filter { attempts[$0] == nil }, by: queue)
  }

  private func resumeThrottled(_ ids: [AttemptID]) {
    for id in ids {
      if let attempt = attempts[id] { finishIfFailed(attempt, attempt.resumeThrottled()) }
    }
  }

  /// libcurl shortens the time to its own next timer. One hour means "until woken".
  private func pollMilliseconds() -> Int32 {
    let turn = limits.nextResumption
    guard let next = nextDeadline.map({ min($0, turn ?? $0) }) ?? turn else { return 3_600_000 }
    return Int32(clamping: min(max(next.milliseconds(since: now), 0), 3_600_000))
  }
}

// MARK: - Called by attempts

extension CurlLoop {
  func emit(_ event: TransportEvent) { events(event) }

  func hasAttempt(of transfer: TransferID) -> Bool {
    attempts.values.contains { $0.transfer == transfer }
  }

  func assertIsOnThread() {
    precondition(
      pthread_equal(owner, pthread_self()) != 0, "libcurl called back on another thread.")
  }
}
