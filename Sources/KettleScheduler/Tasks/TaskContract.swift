import KettleModel

/// What a transfer owes the program that requested it: a reported end, resume data, a time limit,
/// and conditions under which bytes may flow.
struct TaskContract: Sendable, Hashable {
  var options: TaskOptions
  /// Without the pending challenge, which the state has.
  var status: TaskStatus

  // MARK: Resume data

  /// Whether a later task can use the bytes: Apple's rule for resume data
  /// (`cancel(byProducingResumeData:)`).
  func canBeResumed(_ resumeData: ResumeData?, request: RequestContent?) -> Bool {
    guard request?.isPlainGET ?? true, let resumeData, !resumeData.durable.isEmpty,
      let validator = resumeData.validator
    else { return false }
    let reply = status.reply.map { ResponseHead(status: $0.status, headers: $0.headers) }
    if reply?.value(of: "Accept-Ranges")?.trimmed.lowercased() == "none" { return false }
    return validator.entityTag?.isEmpty == false || validator.lastModified?.isEmpty == false
  }

  /// Records where a download from resume data continues: the server sends the rest, or there is
  /// none. The program is notified once.
  mutating func recordResumption(at offset: Int64) {
    guard options.resumes != nil, status.resumedAtByteCount == nil else { return }
    status.resumedAtByteCount = offset
  }

  // MARK: The response that the program sees

  /// Stores the head of a response.
  ///
  /// - Parameters:
  ///   - url: the URL that served it, after redirects.
  ///   - requested: the URL that the program requested.
  mutating func recordReply(
    _ head: ResponseHead, from url: TransferURL, requested: TransferURL
  ) {
    status.reply = ServerReply(
      url: url.text, status: head.status, headers: head.headers,
      suggestedName: FileName.chosen(
        given: nil, contentDisposition: head.value(of: "Content-Disposition"), url: requested,
        finalURL: url, mediaType: head.mediaType))
  }

  /// Stores the head of a response with the rest of the file. The program requested the file and
  /// not a range, so it sees the head that the whole would have had: the previous one, updated (RFC
  /// 9110, section 15.3.7.3).
  mutating func recordReply(
    toRangeOf total: Int64?, _ head: ResponseHead, from url: TransferURL, requested: TransferURL
  ) {
    let framing: Set = ["content-length", "content-range", "transfer-encoding"]
    var headers = head.headers.filter { !framing.contains($0.name.lowercased()) }
    let known = framing.union(headers.map { $0.name.lowercased() })
    let before = status.reply?.headers ?? []
    headers = before.filter { !known.contains($0.name.lowercased()) } + headers
    if let total { headers.append(HeaderField(received: "Content-Length", String(total))) }
    recordReply(ResponseHead(status: 200, headers: headers), from: url, requested: requested)
  }

  // MARK: The time limit

  /// Updates when the task started; its time counts from its first start, and a stopped task has
  /// never been started.
  mutating func recordStart(in state: TransferState, at now: WallTime) {
    switch state {
    case .idle: status.startedAt = nil
    case .queued, .scheduled, .running, .waiting, .verifying:
      if status.startedAt == nil { status.startedAt = now }
    case .paused, .completed, .failed: break
    }
  }

  var hasTimeLimit: Bool { (options.resourceTimeoutMilliseconds ?? 0) > 0 }

  /// When the task's time is over; nil when it has no limit or was never started. On the wall
  /// clock, because the time counts across reboots.
  ///
  /// - Parameter date: a task with a start date loses no time until then.
  func deadline(notBefore date: WallTime?) -> WallTime? {
    guard let milliseconds = options.resourceTimeoutMilliseconds, milliseconds > 0,
      let startedAt = status.startedAt
    else { return nil }
    return max(startedAt, date ?? startedAt).advanced(byMilliseconds: milliseconds)
  }

  // MARK: Conditions

  /// The first of its conditions that is not met.
  func unmetCondition(_ met: Set<TransferCondition>) -> TransferCondition? {
    guard !options.conditions.isEmpty else { return nil }
    return TransferCondition.allCases.first { options.conditions.contains($0) && !met.contains($0) }
  }
}

extension TransferFacts {
  /// Stores the head of a response for the program, if the transfer has one.
  mutating func recordReply(_ head: ResponseHead, from url: TransferURL) {
    let requested = spec.url
    task?.recordReply(head, from: url, requested: requested)
  }

  /// Stores the head of a response with a range for the program, if the transfer has one.
  mutating func recordReply(
    toRangeOf total: Int64?, _ head: ResponseHead, from url: TransferURL
  ) {
    let requested = spec.url
    task?.recordReply(toRangeOf: total, head, from: url, requested: requested)
  }
}

/// What a program changes in a running task; nil leaves a value unchanged.
package struct TaskChanges: Sendable, Hashable {
  package var programData: String?
  /// An empty title is none.
  package var title: String?
  package var subtitle: String?
  package var priority: TransferPriority?
  package var notBefore: WallTime?
  package var asksBeforeBeginning: Bool?
  package var expectedSendByteCount: Int64?
  package var expectedReceiveByteCount: Int64?
  package var delivered: DeliveredPart?

  package init() {}
}
