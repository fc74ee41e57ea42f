import KettleModel

/// The sections of the details, and what is copied or opened from there.
extension Strings {
  static let detailsTitle = "Details"
  static let loading = "Loading…"
  static let noRowForPane = "No transfer is under the cursor"

  static func paneSection(_ section: DetailsSection) -> String {
    "\(section.number)/\(DetailsSection.allCases.count) " + title(of: section)
  }

  static let labelID = "ID"
  static let labelHeldBack = "Held back"
  static let labelReady = "Done at"
  static let labelState = "State"
  static let labelProblem = "Problem"
  static let labelFreshStart = "Note"
  static let labelProgress = "Progress"
  static let labelSpeed = "Speed"
  static let labelLeft = "Time left"
  static let labelConnections = "Connections"
  static let labelPriority = "Priority"
  static let labelQueue = "Queue"
  static let labelMachine = "Machine"
  static let labelAdded = "Added"
  static let labelFinished = "Finished"
  static let labelFiles = "Files"
  static let labelVersion = "Version"
  static let labelSynced = "Last sync"

  /// `3 new, 1 changed, 2 gone`, or that there was nothing.
  package static func brought(_ report: SyncReport) -> String {
    let parts = [
      (report.newCount, "new"), (report.changedCount, "changed"), (report.goneCount, "gone"),
    ].filter { $0.0 > 0 }.map { "\(CountText.text($0.0)) \($0.1)" }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }
  static let labelRetries = "Retries"
  static let labelURL = "URL"
  static let labelCurrentURL = "Redirected to"
  static let labelPage = "Found on"
  static let labelFile = "File"
  static let labelPartialFile = "Partial file"
  static let labelChecksum = "Checksum"
  static let labelEncoding = "Encoding"
  static let labelSession = "Session"
  static let headingReceived = "Received ranges"
  static let labelStatus = "Status"
  static let labelETag = "ETag"
  static let labelLastModified = "Last-Modified"

  static func receivedRange(_ lower: String, _ upper: String) -> String {
    "from \(lower) to \(upper)"
  }

  static func more(_ count: Int) -> String { "and \(count) more" }

  static func title(of section: DetailsSection) -> String {
    switch section {
    case .overview: "Overview"
    case .parts: "Parts"
    case .addresses: "Addresses"
    case .headers: "Headers"
    case .events: "Events"
    case .speed: "Speed"
    }
  }

  static func detailsTitle(of title: String) -> String { detailsTitle + ": " + title }

  static let labelAdvice = "What to do"
  static let labelLimit = "Limit"
  static let labelDirectory = "Directory"
  static let labelRule = "Set by"
  static let headingConnections = "Connections"
  static let headingHeaders = "Headers of the last response"
  static let columnRange = "Range"
  static let columnDone = "Done"
  static let theEnd = "the end"
  static func range(_ lower: String, _ upper: String) -> String { lower + " to " + upper }

  static let noResponseYet = "no response yet"
  static let sizeUnknown = "The server has not reported the size of the file"
  static let noResponse = "No response yet"
  static let nothingHappened = "Nothing has happened yet"
  static let noSpeedYet = "Nothing was received in the last few minutes"
  static let now = "now"

  static func secondsAgo(_ seconds: Int) -> String {
    DurationText.countdown(Int64(seconds)) + " ago"
  }

  static func labelRedirect(_ number: Int) -> String { "Redirect \(number)" }

  static func described(_ rule: RuleUse) -> String {
    rule.properties.isEmpty ? rule.words : rule.words + ": " + rule.propertyWords
  }

  static func limits(own: Int64?, all: Int64?) -> String? {
    switch (own, all) {
    case (nil, nil): nil
    case (let own?, nil): ByteText.speed(own)
    case (nil, let all?): ByteText.speed(all) + " in total"
    case (let own?, let all?):
      ByteText.speed(own) + ", and " + ByteText.speed(all) + " in total"
    }
  }

  static func encoding(_ coding: String) -> String { coding + ", kept as the server sent it" }

  static func checksumVerdict(_ row: TransferSnapshot) -> String {
    if row.error?.code == .checksumMismatch { return "does not match the file" }
    switch row.state {
    case .completed: return "matches the file"
    case .verifying: return "being checked"
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .failed:
      return "checked when the file is complete"
    }
  }

  static func speeds(now: String, most: String, mean: String, seconds: Int) -> String {
    "now \(now), peak \(most), average \(mean) over \(DurationText.countdown(Int64(seconds)))"
  }

  static let legendReceived = "received"
  static let legendRequested = "in progress"
  static let legendMissing = "missing"
  static let legendConnection = "1-9 connection"

  static func urlsCopied(_ count: Int) -> String {
    count == 1 ? "URL copied to the clipboard" : "\(count) URLs copied to the clipboard"
  }

  static func pathsCopied(_ count: Int) -> String {
    count == 1 ? "path copied to the clipboard" : "\(count) paths copied to the clipboard"
  }

  /// Marked transfers that were not sent are unknown here, and some have no path.
  static func notLoaded(_ count: Int) -> String {
    count > 0 ? "; \(count) of the marked are not loaded" : ""
  }

  static let nothingToCopy = "nothing here can be copied or opened"
  static let noFileYet = "it has no file yet"
  static let isObject = "it is in an object store"
  static let notFinished = "its file is not complete"
  static let opensOne = "only one file can be opened at a time"
  static let noSections = "there are no sections here"
}
