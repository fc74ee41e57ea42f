import KettleModel

/// The title bar, the batch line and the table of transfers.
extension Strings {
  static let filesAreShown = "its files are shown already"

  static let connecting = "connecting to the service…"
  static let serviceIsBack = "the service is back"

  static let serviceLost = "service lost, reconnecting…"

  static func serviceStopped(at time: String) -> String { "service stopped at " + time }

  static func starts(_ key: String) -> String { key + " starts it" }

  static let serviceSilent = "service does not answer"
  static func serviceSilent(for time: String) -> String { serviceSilent + " (\(time))" }

  static func serviceLost(for time: String) -> String { serviceLost + " (\(time))" }

  static func free(_ byteCount: Int64) -> String { ByteText.size(byteCount) + " free" }

  static let nothingUnderWay = "Nothing downloading"
  static let allDone = "All done"

  /// For example `All done: 14 files, 2.2 GiB in 48:21, on average 780 KiB/s`.
  static func allDone(_ run: DownloadRun) -> String {
    var text = allDone + ": " + files(run.fileCount)
    if run.byteCount > 0 { text += ", " + ByteText.size(run.byteCount) }
    text += " in " + DurationText.clock(run.seconds)
    if run.byteCount > 0, run.seconds > 0 {
      text += ", on average " + ByteText.speed(run.byteCount / run.seconds)
    }
    return text + (run.failedCount > 0 ? "; \(CountText.text(run.failedCount)) failed" : "")
  }

  static let speedTitle = "speed"
  static let needsTitle = "needs you"
  static let downloadsTitle = "downloads"
  static let historyTitle = "history"

  static let averageSpeed = "average"
  static let queueOrder = "queue order"

  static func moreHosts(_ count: Int) -> String { "+ \(count) more" }

  /// For the chip in the title.
  static func needYou(_ count: Int) -> String {
    CountText.text(count) + " " + (count == 1 ? "needs you" : "need you")
  }

  /// For all transfers that are under way.
  static func batchCount(_ finished: Int, of count: Int) -> String {
    CountText.text(finished) + " of " + CountText.text(count) + " done"
  }

  /// A time that is a guess has a tilde.
  static func guessed(_ time: String, isGuess: Bool) -> String { isGuess ? "~" + time : time }

  package static func timeLeft(_ seconds: Int64) -> String { DurationText.clock(seconds) + " left" }

  /// - Parameter unpredictableCount: The transfers that `time` does not include.
  static func allReady(by time: String, except unpredictableCount: Int) -> String {
    unpredictableCount > 0
      ? "done \(time), \(CountText.text(unpredictableCount)) unknown" : "done " + time
  }

  /// For example `61 GiB left afterwards`, when all transfers that are under way are complete.
  static func freeAfter(_ byteCount: Int64) -> String {
    byteCount >= 0
      ? ByteText.size(byteCount) + " left afterwards"
      : ByteText.size(Int64(clamping: byteCount.magnitude)) + " too little space"
  }

  /// In the title, where there is little room.
  static func diskShort(_ byteCount: Int64) -> String {
    "disk " + ByteText.size(byteCount) + " short"
  }
  static func diskLow(_ byteCount: Int64) -> String {
    "disk " + ByteText.size(byteCount) + " free"
  }

  /// Drawn beside the first steps. All lines have the same width.
  static let kettle = [
    "        ~  ~         ",
    "       ___~___       ",
    "    __/_______\\_     ",
    "   /  |       | )    ",
    "      \\_______/      ",
  ]

  static let waitingForRows = ["Loading the list…"]
  static let emptyList = [
    "Paste a link. That's all.", "{add}  type one, or a whole curl command",
    "{help}  the keys     {command}  everything by name",
    "kettle demo  try it with a few files",
  ]

}

/// The words in the rows.
extension Strings {
  static let hookFailed = "hook failed"
  static func hookFailed(_ how: String) -> String {
    "The hook failed: " + how.sanitizedForDisplay(limit: 200)
  }
  static func hooksFailed(_ count: Int) -> String {
    CountText.text(count) + (count == 1 ? " hook failed" : " hooks failed")
  }

  static func doneCount(_ done: Int, of count: Int) -> String {
    done == count ? "done" : CountText.text(done) + " done"
  }

  static func done(at time: String?) -> String { time.map { "done " + $0 } ?? "done" }

  /// What is known of a finished file beyond its size; nil for nothing.
  static func proof(of row: TransferSnapshot) -> String? {
    row.contentCoding.map { "compressed (\($0))" } ?? row.verifiedBy?.rawValue
      ?? (row.check?.finding == .intact ? "verified" : nil)
  }

  /// What is wrong with a finished file, or how far its comparison is; nil for nothing.
  static func problem(of row: TransferSnapshot) -> String? {
    if let work = row.fileWorkText { return work }
    if let check = row.check, check.isBad { return FileCheckWords.brief(check) }
    return row.failedHook == nil ? nil : hookFailed
  }

  static func damage(_ check: FileCheck) -> String {
    "The file is \(FileCheckWords.text(check))"
  }

  static let footerRepair = "repair"

  static let paused = "paused"
  static let verifying = "verifying"
  static let waits = "waiting"

  static func kept(_ kept: KeptBytes, until time: String) -> [String] {
    let size = ByteText.size(kept.byteCount)
    return ["stopped, \(size) kept until " + time, "stopped, \(size) kept"]
  }

  static func idle(wasStarted: Bool) -> String { wasStarted ? "stopped" : "not started" }

  static func scheduled(_ start: String?) -> [String] {
    guard let start else { return ["scheduled"] }
    return ["starts " + start, start]
  }

  /// - Parameter countdown: nil when the retry is due.
  static func retry(in countdown: String?, because failure: TransferFailure?) -> [String] {
    let retry = countdown.map { "retry in " + $0 } ?? "retrying now"
    let brief = countdown ?? "now"
    guard let failure else { return [retry, brief] }
    return [retry + " (" + shortFailure(failure) + ")", retry, brief]
  }

  static func failed(_ failure: TransferFailure?) -> [String] {
    guard let failure else { return ["failed"] }
    return [failure.sentence, shortFailure(failure)]
  }

  /// Returns the cause in a few words; the message line and the details show the full sentence.
  package static func shortFailure(_ failure: TransferFailure) -> String {
    switch failure.code {
    case .badURL: "bad URL"
    case .tooManyRedirects: "too many redirects"
    case .redirectRefused: "redirect refused"
    case .httpStatus: failure.detail.map(shortStatus) ?? "refused"
    case .rangeReplyWrong: "wrong range"
    case .encodedReply: "encoded"
    case .loginNeeded: "login needed"
    case .linkExpired: "link expired"
    case .otherVersion: "other version"
    case .otherFile: "other file"
    case .webPage: "web page"
    case .checksumListUnusable: "no checksum"
    case .metalinkUnusable: "bad Metalink"
    case .torrentUnusable: "bad torrent"
    case .wrongPiece: "wrong bytes"
    case .playlistUnusable: "bad playlist"
    case .liveStream: "live stream"
    case .listUnusable: "bad list"
    case .membersUnfinished: "files missing"
    case .membersFailed: "files failed"
    case .contradictoryReply: "contradiction"
    case .networkDown: "no network"
    case .hostNotFound: "host not found"
    case .nameServerSilent: "no name server"
    case .connectionRefused: "refused"
    case .connectionLost: "connection lost"
    case .noDataConnection: "no data connection"
    case .timedOut: "timed out"
    case .tlsRefused: "not trusted"
    case .proxyFailed: "proxy failed"
    case .proxyUnreachable: "no proxy"
    case .proxyLoginNeeded: "proxy login"
    case .protocolBroken: "bad response"
    case .certificateFileUnusable: "bad certificate file"
    case .clientCertificateNeeded: "certificate needed"
    case .headersFileUnusable: "bad headers file"
    case .truncated: "ended early"
    case .tooLong: "too long"
    case .directoryMissing: "no directory"
    case .directoryUnwritable: "no permission"
    case .diskFull: "disk full"
    case .nameTaken: "name taken"
    case .fileProblem: "disk error"
    case .checksumMismatch: "wrong checksum"
    case .partialFileChanged: "part file changed"
    case .notContinued: "not continued"
    case .unpackingFailed: "not unpacked"
    case .storeRefused: "store refuses"
    case .storeUnavailable: "store unavailable"
    case .uploadGone: "upload lost"
    case .uploadFileUnusable: "file not sendable"
    case .cancelled: "cancelled"
    case .conditionUnmet: TransferCondition(rawValue: failure.subject)?.words ?? "condition"
    case .internalProblem: "internal"
    }
  }

  /// The number of a response, or the words of a server that has none.
  private static func shortStatus(_ words: String) -> String {
    let isNumbered = words.first?.isNumber == true
    return String(words.prefix { !isNumbered || $0 != " " })
  }

  /// For the message line: there may be no room beside the speed.
  static func limitedTo(_ bytesPerSecond: Int64) -> String {
    "Limited to " + ByteText.limit(bytesPerSecond)
  }

  /// What a transfer needs from the user, the longest form first.
  static func need(of row: TransferSnapshot) -> [String] {
    let host = String(row.host).sanitizedForDisplay(limit: 60)
    let said = row.error?.detail.map { ": \"" + $0.sanitizedForDisplay(limit: 80) + "\"" } ?? ""
    switch row.need {
    case .login: return [host + " wants a login", "wants a login"]
    case .link: return ["its link has expired", "link expired"]
    case .decision where row.error?.certificate?.isHostKey == true:
      return ["the host key of " + host + " is not trusted", "host key not trusted"]
    case .decision where row.error?.certificate != nil:
      return ["the certificate of " + host + " is not trusted", "certificate not trusted"]
    case .decision: return ["a web page came instead" + said, "a web page came"]
    case nil: return row.reason.map { HeldBackWords($0, of: row).forms } ?? [waits]
    }
  }

  /// What a transfer needs from the user, and the key for it.
  static func remark(on row: TransferSnapshot, needing need: UserNeed) -> String {
    let host = String(row.host).sanitizedForDisplay(limit: 60)
    let said = row.error?.detail.map { " (\($0.sanitizedForDisplay(limit: 80)))" } ?? ""
    return switch need {
    case .login: "\(host) requires a login\(said); press {new-link} to log in"
    case .link:
      "The link has expired; press {new-link} to "
        + (row.pageOfLink == nil ? "set a new one" : "open its page or set a new one")
        + (row.bytesReceived > 0 ? " and keep \(ByteText.size(row.bytesReceived))" : "")
    case .decision where row.error?.certificate?.isHostKey == true:
      "The host key of \(host) is not trusted\(said); press {new-link} to decide"
    case .decision where row.error?.certificate != nil:
      "The certificate of \(host) is not trusted\(said); press {new-link} to decide"
    case .decision: "A web page arrived instead of the file\(said); press {new-link} to decide"
    }
  }

  package static func freshStart(_ reason: FreshStartReason) -> String {
    switch reason {
    case .resourceChanged: "Restarted from zero: the file on the server has changed"
    case .rangeIgnored: "Restarted from zero: the server sends whole files only"
    case .noValidator: "Restarted from zero: the server does not identify the version of the file"
    case .partialFileChanged:
      "Restarted from zero: the partial file was modified by another "
        + "program"
    case .otherSources:
      "Restarted from zero: a mirror had a file of another size than the other sources"
    case .contradictoryReplies:
      "Restarted from zero: the server's responses contradicted each other"
    case .otherBeginning:
      "Fetched from zero: the file that had the name is not the beginning of this one"
    case .asked: "Restarted from zero, as you requested"
    }
  }

  static let newestFirst = "newest first"

  /// - Parameters:
  ///   - rows: its rows, if all of them are known.
  ///   - isToday: whether something happened today.
  ///   - time: writes the time at which a queue opens or closes.
  static func heading(
    of listed: ListedGroup, rows: ArraySlice<TransferSnapshot>?, isToday: (WallTime) -> Bool,
    time: (WallTime) -> String
  ) -> String {
    func each(_ holds: (TransferSnapshot) -> Bool) -> Bool { rows?.allSatisfy(holds) ?? false }
    let name =
      switch listed.group {
      case .work(.running): "running"
      case .work(.next):
        each { $0.state == .idle && !$0.wasStarted } ? idle(wasStarted: false) : "next"
      case .work(.needsUser): "needs you"
      case .work(.failed): "failed"
      case .work(.done): each { $0.finishedAt.map(isToday) ?? false } ? "done today" : "done"
      case .queue(let name): name.text
      case .noQueue: "in no queue"
      case .directory(let path): path.isEmpty ? "./" : path + "/"
      }
    let queue = listed.queue.map { standing(of: $0, time: time) } ?? ""
    return "\(name) \(CountText.text(listed.count))" + queue
  }

  /// What one of the user's queues permits now; empty if it permits everything.
  private static func standing(of queue: QueueSnapshot, time: (WallTime) -> String) -> String {
    var parts: [String] = []
    switch queue.waitsFor {
    case .mainsPower: parts.append("on battery")
    case .unmeteredNetwork: parts.append("metered network")
    case nil: break
    }
    if queue.hours != nil {
      let until = queue.until.map { " until " + time($0) } ?? ""
      parts.append((queue.isOpen ? "open" : "closed") + until)
    }
    if let most = queue.transfersMax { parts.append("\(queue.runningCount) of \(most) running") }
    return parts.map { ", " + $0 }.joined()
  }
}
