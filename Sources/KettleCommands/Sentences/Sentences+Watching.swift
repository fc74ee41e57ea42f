import KettleControl
import KettleDashboard
import KettleModel

/// Sentences about transfers that a command waits for.
extension Sentences {
  static func of(_ error: FollowError) -> String {
    switch error {
    case .serviceStopped:
      "The service was stopped; \"kettle daemon start\" starts it again, and the transfers resume"
    }
  }

  static let eventsMissed =
    "The connection to the service was lost briefly, so some events were missed; \"kettle list\" "
    + "shows the current state"

  static let eventsDropped =
    "Events arrived faster than they were read, so some were dropped; \"kettle list\" shows the "
    + "current state"

  static func failed(_ row: TransferSnapshot) -> String {
    guard let error = row.error else {
      return "Transfer \(row.id) failed; start it again with \"kettle start \(row.id)\""
    }
    return error.sentence.sanitizedForDisplay(limit: 600)
  }

  static func failed(_ failedCount: Int, of count: Int) -> String {
    "\(CountText.text(failedCount)) of \(Strings.transfers(count)) failed; "
      + "\"kettle list\" shows all"
  }

  /// - Parameter row: waits for a reason that needs the user.
  static func needsUser(_ row: TransferSnapshot) -> String {
    if let collection = row.collection, collection.waitsForUser, let words = collection.words {
      return "Transfer \(row.id) needs you: \(words); \"kettle list\" shows them"
    }
    let words = row.reason.map { HeldBackWords($0, of: row) }
    let look = row.error?.certificate.map { _ in "\"kettle why \(row.id)\" shows it, " } ?? ""
    return "Transfer \(row.id) needs you"
      + (words.map { ": \($0.clause); \(look)\($0.remedy ?? "")" } ?? "")
  }

  static func removedMeanwhile(_ id: TransferID) -> String {
    "Transfer \(id) was removed from the list before it was done"
  }

  static func stoppedMeanwhile(_ id: TransferID) -> String {
    "Transfer \(id) was stopped before it was done; "
      + "start it again with \"kettle start \(id)\""
  }

  static func leftRunning(_ ids: [TransferID]) -> String {
    if ids.count == 1, let id = ids.first { return leftRunning(id) }
    let list = ids.map(\.description).joined(separator: " ")
    return
      "\(Strings.transfers(ids.count)) continue in the background; watch them with \"kettle\", "
      + "wait for them with \"kettle wait \(list)\", stop them with \"kettle stop \(list)\""
  }

  static func getting(_ count: Int, ended: Int, bytesPerSecond: Int64) -> String {
    let speed = bytesPerSecond > 0 ? ", " + ByteText.speed(bytesPerSecond) : ""
    return "\(CountText.text(ended)) of \(CountText.text(count)) done" + speed
  }

  /// The last line of `get` about several files.
  ///
  /// - Parameters:
  ///   - failedCount: those that ended in another way.
  ///   - arrived: what arrived during this time; nil if nothing did.
  static func got(
    _ count: Int, failedCount: Int, byteCount: Int64, arrived: ArrivedBytes?
  ) -> String {
    let parts = [
      "\(CountText.text(count - failedCount)) of \(CountText.text(count)) done",
      ByteText.size(byteCount) + (arrived.map { $0.words(of: byteCount) } ?? ""),
      failedCount > 0 ? "\(CountText.text(failedCount)) not done" : "",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// The file that `--continue` found is another one.
  static func notContinued(_ row: TransferSnapshot) -> String {
    "The file that had the name is not the beginning of \(quoted(row.shownTitle)), so everything was "
      + "fetched"
  }

  static func keptCompressed(_ row: TransferSnapshot, _ coding: String) -> String {
    "The server sent \(quoted(row.shownTitle)) compressed with \(coding.sanitizedForDisplay(limit: 40)), "
      + "although that was not requested; the bytes are kept as they were sent (--decode unpacks them)"
  }

  static func of(_ problem: DeliveryProblem) -> String {
    switch problem {
    case .changed:
      "The file changed on the server after a part of it was passed on; try again without --stream"
    case .unreadable(let path, let detail):
      "The file \(quoted(path)) cannot be read (\(detail)); set TMPDIR to another directory"
    }
  }

  static func leftRunning(_ id: TransferID) -> String {
    "Transfer \(id) continues in the background; watch it with \"kettle\", "
      + "wait for it with \"kettle wait \(id)\", stop it with \"kettle stop \(id)\""
  }

  static func leftDashboard(continuingCount count: Int) -> String {
    switch count {
    case 0: "Nothing is downloading; \"kettle\" shows the list again"
    case 1: "1 transfer continues in the background; \"kettle\" shows it again"
    default: "\(Strings.transfers(count)) continue in the background; \"kettle\" shows them again"
    }
  }

  /// Why a transfer is waited for that does not move, and until when.
  static func standsStill(_ row: TransferSnapshot, _ clock: any CommandClock) -> String {
    let until = (row.heldBack?.until ?? row.goesOnAt).map { timeText($0, clock) }
    switch row.state {
    case .scheduled:
      return "Transfer \(row.id) is scheduled and starts \(until.map { "at " + $0 } ?? "later"); "
        + "waiting for it"
    case .queued where row.heldBack?.cause == .configuration:
      return row.heldBack.map(heldBackByConfiguration) ?? waitsForStart(row)
    case .queued:
      let name = quoted(row.heldBack?.subject ?? QueueName.standard.text)
      return "Transfer \(row.id) waits in the queue \(name), which opens "
        + "\(until.map { "at " + $0 } ?? "later"); waiting for it"
    case .idle, .running, .waiting, .paused, .verifying, .completed, .failed:
      return waitsForStart(row)
    }
  }

  static func waitsForHours(_ queue: QueueSnapshot, _ clock: any CommandClock) -> String {
    let count = queue.queuedCount ?? 0
    let transfers = Strings.transfers(count) + (count == 1 ? " waits" : " wait")
    let opens = queue.until.map { "opens at " + timeText($0, clock) } ?? "is closed"
    return "\(transfers) in the queue \(quoted(queue.name.text)), which \(opens); waiting for "
      + (count == 1 ? "it" : "them")
  }

  static func waitsForStart(_ row: TransferSnapshot) -> String {
    "Transfer \(row.id) is \(Strings.countWord(row.state)) and will not resume by itself; "
      + "waiting until it is started with \"kettle start \(row.id)\""
  }

  static func timedOut(unfinished count: Int) -> String {
    count == 1
      ? "Timed out with 1 transfer unfinished; it continues in the background"
      : "Timed out with \(Strings.transfers(count)) unfinished; they continue in the background"
  }
}

/// Sentences about requests for URLs that are on the list already.
extension Sentences {
  static func of(_ report: ListedCopies.Report) -> String {
    switch report {
    case .follows(let id, let parts):
      let taken = parts.isEmpty ? "" : " and takes over \(options(parts))"
      return "Transfer \(id) already has this URL, so this command follows it\(taken); "
        + "--again fetches another copy"
    case .another(let id, .fileChanged):
      return "The file of transfer \(id), which has this URL, was changed since it was done, "
        + "so another copy is fetched"
    case .another(let id, .fileGone):
      return "The file of transfer \(id), which has this URL, is gone, so it is fetched again"
    case .another(let id, _):
      return "Transfer \(id) has this URL, but another place for the file, so another copy is "
        + "fetched"
    case .refused(let sentence): return sentence
    }
  }

  /// Why a transfer on the list does not lead to what is asked.
  static func notFollowed(
    _ id: TransferID, _ result: FollowTransfer.Result, asked: TransferSpec
  ) -> String {
    switch result.outcome {
    case .mismatch:
      let path = quoted(result.path ?? "", limit: 4096)
      let found = (result.found ?? "").sanitizedForDisplay(limit: 200)
      return "The file \(path) of transfer \(id), which has this URL, does not have the checksum "
        + "\(asked.checksum?.text ?? ""), but \(found); --again fetches another copy"
    case .unreadable:
      let why = result.error?.sentence.sanitizedForDisplay(limit: 600) ?? "it cannot be read"
      return "The file of transfer \(id), which has this URL, cannot be compared with the "
        + "checksum: \(why)"
    case .tooLate, .follows, .otherFile, .transferGone, .fileGone, .fileChanged:
      let state = result.state.map(Strings.countWord) ?? "under way"
      return "Transfer \(id) already has this URL and is \(state), so it cannot take over "
        + "\(options(result.parts ?? [])); leave that out, or fetch another copy with --again"
    }
  }

  /// After an `add` whose URL was on the list.
  static func alsoListed(_ id: TransferID, new: TransferID) -> String {
    "Transfer \(id) already has this URL; transfer \(new) fetches another copy, unless "
      + "--on-conflict says otherwise (\"kettle get\" follows the first one)"
  }

  static func alsoListed(count: Int) -> String {
    "\(CountText.text(count)) of these URLs are on the list already and are fetched again, "
      + "unless --on-conflict says otherwise"
  }

  /// Returns the options for these parts as a phrase, such as `--limit and --title`.
  static func options(_ parts: [RequestPart]) -> String {
    let names = parts.map(\.option)
    guard names.count > 1, let last = names.last else { return names.first ?? "its options" }
    return names.dropLast().joined(separator: ", ") + " and " + last
  }
}

/// What is said about hooks.
extension Sentences {
  /// What is wrong with the command of `--then`.
  static func hook(_ text: String, _ problem: HookCommand.Problem) -> String {
    switch problem {
    case .empty: "--then names no program; write --then 'PROGRAM ARGUMENTS'"
    case .tooLong:
      "The command of --then is too long; write it into a script and give the script"
    case .notText: "The command of --then contains a NUL; leave it out"
    case .relativeProgram:
      "The program of --then \(quoted(text)) has a relative path; give an absolute one"
    case .placeholderForShell:
      "A shell would execute what stands for a placeholder in --then \(quoted(text)); "
        + "use a variable such as \"$KETTLE_PATH\" there"
    }
  }

  /// One line for each run of a transfer's hooks.
  static func hooks(_ runs: [HookRun], _ clock: any CommandClock) -> [String] {
    runs.map { "\($0.sentence), \(timeText($0.since, clock))" }
  }
}

/// Sentences about collections.
extension Sentences {
  static let noCollections =
    "No collections; \"kettle add hf://org/model\" adds one, and so does a directory with --depth"

  /// The line of a collection in `kettle collections`.
  static func collection(_ row: TransferSnapshot, _ clock: any CommandClock) -> String {
    var parts = ["\(row.id)", row.stateWords]
    if let words = row.collection?.words { parts.append(words) }
    if !row.sizeText.isEmpty { parts.append(row.sizeText) }
    if row.bytesPerSecond > 0 { parts.append(ByteText.speed(row.bytesPerSecond)) }
    let directory = row.path.map { ", in \($0.sanitizedForDisplay(limit: 400))" } ?? ""
    let version = row.collection?.version.map { " at \($0.sanitizedForDisplay(limit: 12))" } ?? ""
    let name = row.shownTitle.sanitizedForDisplay(limit: 200)
    if let sync = row.collection?.lastSync {
      parts.append("synced \(timeText(sync.at, clock)): \(Strings.brought(sync))")
    }
    return parts.joined(separator: "  ") + "  \(name)\(version)\(directory)"
  }

  static func line(of file: ChangedMember, _ change: MemberChange) -> String {
    let size = file.byteCount.map { "  \(ByteText.size($0))" } ?? ""
    return ColumnText.left(change.rawValue, 8) + file.path.text.sanitizedForDisplay(limit: 4096)
      + size
  }

  static func line(of member: ListedMember) -> String {
    let size = member.byteCount.map { ByteText.size($0) } ?? ""
    return ColumnText.left(size, 10) + member.path.text.sanitizedForDisplay(limit: 4096)
  }

  static func synced(_ id: TransferID, every: String) -> String {
    every == "never"
      ? "Collection \(id) is synced only when you say so"
      : "Collection \(id) is synced every \(every)"
  }

  static func synced(
    _ id: TransferID, _ sums: [MemberChange: MemberSum], removesGone: Bool, dryRun: Bool
  ) -> String {
    func part(_ change: MemberChange) -> String? {
      guard let sum = sums[change], sum.count > 0 else { return nil }
      let size = sum.byteCount > 0 && change != .gone ? " (\(ByteText.size(sum.byteCount)))" : ""
      let fate =
        change != .gone
        ? "" : removesGone ? ", moved to the bin" : ", kept (--delete moves them to the bin)"
      return "\(CountText.text(sum.count)) \(change.rawValue)\(size)\(fate)"
    }
    let parts = MemberChange.allCases.compactMap(part)
    let all = parts.isEmpty ? "is up to date" : parts.joined(separator: ", ")
    return "Collection \(id)\(parts.isEmpty ? " " : ": ")\(all)"
      + (dryRun && !parts.isEmpty ? "; nothing was done" : "")
  }

  static func preview(_ sum: MemberSum, freeByteCount: Int64?) -> String {
    let files = "\(CountText.text(sum.count)) file\(sum.count == 1 ? "" : "s")"
    let free = freeByteCount.map { "; \(ByteText.size($0)) are free in the downloads directory" }
    let unknown = "\(CountText.text(sum.unknownSizeCount)) of unknown size"
    if sum.unknownSizeCount == sum.count { return "\(files) of unknown size\(free ?? "")" }
    return "\(files), \(ByteText.size(sum.byteCount))"
      + (sum.unknownSizeCount == 0 ? "" : ", " + unknown) + (free ?? "")
  }

  static func notInManifest(_ path: MemberPath) -> String {
    "\(path.text.sanitizedForDisplay(limit: 4096)) is not complete, so it was left out"
  }
}
