/// One transfer as clients see it.
public struct TransferSnapshot: Hashable, Sendable, Codable, Identifiable {
  public var id: TransferID
  public var session: SessionID
  /// The user's queue; nil for `default`, and for a task of a program.
  public var queue: QueueName?
  /// Unique within the session.
  public var taskIdentifier: Int64
  public var title: String
  /// What a program's task shows beside its title, perhaps empty; nil for a task that its program
  /// does not present to people, and for every other transfer.
  public var subtitle: String?
  /// Without credentials.
  public var url: String
  public var state: TransferState
  /// Set if and only if the state is `waiting`.
  public var reason: WaitingReason?
  /// When it continues automatically; set for `scheduled` and for most reasons to wait.
  public var goesOnAt: WallTime?
  /// Why it does not move, or not as fast as it could; nil for one that runs normally or has
  /// finished, and in events for one that is queued.
  public var heldBack: HeldBack?
  /// When it is expected to be complete; nil if unknown, and in events.
  public var readyAt: WallTime?
  /// Whether `readyAt` is a guess, because it follows from an assumption, such as the size of a
  /// file that did not announce it; nil for no.
  public var readyAtIsGuess: Bool?
  /// The path of the file, present or future; nil until its name is known.
  public var path: String?
  /// For an upload, the bytes of the request body that were sent; 0 while it waits, because the
  /// body is then sent again from the start. The response's progress is in `task`.
  public var bytesReceived: Int64
  /// How fast each part arrived; nil if nothing has, or the size is unknown.
  public var ridge: Ridge?
  /// nil if the server did not announce it. For an upload, the length of the request body; for a
  /// playlist, an estimate until it is complete.
  public var bytesExpected: Int64?
  /// For an upload, the speed of sending, which `secondsLeft` is based on as well.
  public var bytesPerSecond: Int64
  /// The average speed of a completed download while it ran; nil if that took less than a second.
  public var averageBytesPerSecond: Int64?
  /// The seconds to `readyAt` while it runs; in events the missing bytes at the present speed. nil
  /// if unknown, or if `readyAt` is a guess.
  public var secondsLeft: Int64?
  /// The number of connections that are open for it.
  public var connections: Int
  public var priority: TransferPriority
  /// Lower positions come first; nil if the service is too old to report it.
  public var queuePosition: Int64?
  /// The speed limit of this transfer; nil if it has none of its own.
  public var limitBytesPerSecond: Int64?
  public var createdAt: WallTime
  public var finishedAt: WallTime?
  /// The algorithm of the checksum that the finished file matches; nil if it was not compared with
  /// one.
  public var verifiedBy: Checksum.Algorithm?
  /// Whether every response for the finished file had the same strong ETag; nil for no.
  public var hasOneEntityTag: Bool?
  /// How the server compressed the bytes that are stored as they were sent; nil if it did not.
  public var contentCoding: String?
  /// Whether it finished and was then cleared from view.
  public var isCleared: Bool?
  /// Why it failed, or, while it waits, the latest error.
  public var error: TransferFailure?
  /// Why the latest start discarded bytes that had been received.
  public var freshStart: FreshStartReason?
  /// What the bin keeps of a stopped transfer; nil for nothing, and after the service has forgotten
  /// the transfer.
  public var kept: KeptBytes?
  /// How its latest hook failed, such as `"notify-me" exited with 1`; nil if none did, and in
  /// events.
  public var failedHook: String?
  /// How the finished file compares with what is known of its bytes; nil before it was compared.
  public var check: FileCheck?
  /// How many bytes of the file are compared with what is known of them; nil if none are at the
  /// moment.
  public var comparedByteCount: Int64?
  /// How many bytes of the complete file the object store has that is its destination; nil if none
  /// are sent to it at the moment.
  public var storedByteCount: Int64?
  /// The page of a browser that it came from; set while its link is dead, because the page may have
  /// a fresh one.
  public var page: String?
  /// Set for a task of a program's session.
  public var task: TaskStatus?
  /// Set for a collection.
  public var collection: CollectionProgress?
  /// Set for a file of a collection.
  public var member: MemberRole?
  /// In the list of a fleet, the name of the host that has claimed or published it; nil for none.
  package var machine: String?

  public init(
    id: TransferID, session: SessionID, taskIdentifier: Int64, title: String, url: String,
    state: TransferState, reason: WaitingReason? = nil, goesOnAt: WallTime? = nil,
    path: String? = nil, bytesReceived: Int64 = 0, bytesExpected: Int64? = nil,
    bytesPerSecond: Int64 = 0, secondsLeft: Int64? = nil, connections: Int = 0,
    priority: TransferPriority = .normal, createdAt: WallTime, finishedAt: WallTime? = nil,
    error: TransferFailure? = nil, freshStart: FreshStartReason? = nil, task: TaskStatus? = nil
  ) {
    self.id = id
    self.session = session
    self.taskIdentifier = taskIdentifier
    self.title = title
    self.url = url
    self.state = state
    self.reason = reason
    self.goesOnAt = goesOnAt
    self.path = path
    self.bytesReceived = bytesReceived
    self.bytesExpected = bytesExpected
    self.bytesPerSecond = bytesPerSecond
    self.secondsLeft = secondsLeft
    self.connections = connections
    self.priority = priority
    self.createdAt = createdAt
    self.finishedAt = finishedAt
    self.error = error
    self.freshStart = freshStart
    self.task = task
  }

  /// What is done with its complete file: `uploading`, or `checking 3.1 of 8.0 GiB`; nil if neither
  /// an upload nor a comparison is in progress.
  package var fileWorkText: String? {
    if storedByteCount != nil { return "uploading" }
    let total = bytesExpected.map { " of " + ByteText.size($0) } ?? ""
    return comparedByteCount.map { "checking " + ByteText.size($0) + total }
  }
}

/// The bytes of a stopped transfer, from which a start continues.
public struct KeptBytes: Codable, Hashable, Sendable {
  public var byteCount: Int64
  public var until: WallTime

  package init(byteCount: Int64, until: WallTime) {
    self.byteCount = byteCount
    self.until = until
  }
}

extension TransferSnapshot {
  /// The displayed name: the title, or else the file name, or else the URL. A file of a collection
  /// has the place below its directory.
  package var shownTitle: String {
    if let member { return member.path.text }
    if !title.isEmpty { return title }
    if let name = path?.split(separator: "/").last { return String(name) }
    return url
  }

  /// The subtitle; nil when there is nothing to display.
  package var shownSubtitle: String? {
    collection?.brief ?? subtitle.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The user's queue by its name; nil for a task of a program.
  package var queueOfUser: QueueName? { task == nil ? queue ?? .standard : nil }

  /// The host of the URL without the port. An IPv6 address keeps its brackets.
  package var host: Substring {
    // Compares bytes, because long lists are sorted by host.
    let bytes = url.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { return "" }
    let authority = bytes[bytes.index(colon, offsetBy: 3)...].prefix {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?")
    }
    if authority.first == UInt8(ascii: "["),
      let end = authority.firstIndex(of: UInt8(ascii: "]"))
    {
      return url[authority.startIndex...end]
    }
    let end = authority.firstIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    return url[authority.startIndex..<end]
  }

  /// Whether the URL's host is `wanted` or a subdomain of it.
  package func hasHost(_ wanted: String) -> Bool {
    let wanted = wanted.lowercased()
    return host == wanted || host.hasSuffix("." + wanted)
  }
}

/// One connection of a running transfer, and the byte range that it fetches.
package struct ConnectionDetails: Codable, Hashable, Sendable {
  /// The start of its range; nil until the server responds.
  package var lower: Int64?
  /// The end of its range, exclusive; nil while the size is unknown.
  package var upper: Int64?
  /// The end of the received bytes.
  package var receivedUpTo: Int64
  package var bytesPerSecond: Int64
  package var url: String

  package init(
    lower: Int64?, upper: Int64?, receivedUpTo: Int64, bytesPerSecond: Int64, url: String
  ) {
    self.lower = lower
    self.upper = upper
    self.receivedUpTo = receivedUpTo
    self.bytesPerSecond = bytesPerSecond
    self.url = url
  }
}

/// How fast each part of a file arrived, in equal parts from the first byte to the last.
///
///     if let ridge = snapshot.ridge { print(ridge.levels(count: 20)) }
public struct Ridge: Hashable, Sendable {
  /// For each part 0 if it has not arrived, otherwise its speed from 1 to `levelMax`, as a share of
  /// the fastest part.
  public private(set) var parts: [UInt8]

  public static let levelMax: UInt8 = 8
  static let partCount = 48

  init(parts: [UInt8]) { self.parts = parts }

  /// Returns the levels of `count` parts. A part that has not arrived as a whole is lower.
  public func levels(count: Int) -> [UInt8] {
    guard count > 0, !parts.isEmpty else { return [] }
    return (0..<count).map { index in
      let lower = index * parts.count / count
      let upper = max(lower + 1, (index + 1) * parts.count / count)
      let covered = parts[min(lower, parts.count - 1)..<min(upper, parts.count)]
      let sum = covered.reduce(0) { $0 + Int($1) }
      return UInt8((sum + covered.count - 1) / covered.count)
    }
  }
}

extension Ridge: Codable {
  /// A digit for each part.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(parts.map { String(min($0, Self.levelMax)) }.joined())
  }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    self.init(
      parts: text.utf8.prefix(1000).map { $0 >= 48 && $0 <= 56 ? $0 - 48 : 0 })
  }
}

/// The speeds of the parts of a file while it arrives.
package struct ArrivalSpeeds: Sendable, Hashable {
  /// The mean speed of each part in bytes per second; 0 if unknown.
  private var speeds = [Double](repeating: 0, count: Ridge.partCount)
  private var total: Int64 = 0

  package init() {}

  /// Records that a range arrived at a speed.
  package mutating func record(_ range: ByteRange, bytesPerSecond: Int64, total: Int64) {
    guard total > 0, bytesPerSecond > 0, !range.isEmpty else { return }
    if total != self.total { (self, self.total) = (ArrivalSpeeds(), total) }
    let part = Double(total) / Double(Ridge.partCount)
    // Before the conversion: a range can end far behind the file.
    let end = Double(Ridge.partCount - 1)
    let first = Int(min(Double(range.lower) / part, end))
    let last = Int(min(Double(range.upper - 1) / part, end))
    for index in first...last {
      // Later bytes of a part count more: the part is drawn while it grows.
      let known = speeds[index]
      speeds[index] = known > 0 ? (known + Double(bytesPerSecond)) / 2 : Double(bytesPerSecond)
    }
  }

  /// Returns the ridge of a file of which these ranges have arrived. Parts whose speed is unknown
  /// have half of the height.
  package func ridge(_ arrived: ByteRangeSet, total: Int64) -> Ridge? {
    guard total > 0, !arrived.isEmpty else { return nil }
    let speeds = total == self.total ? self.speeds : ArrivalSpeeds().speeds
    let fastest = speeds.max() ?? 0
    let part = Double(total) / Double(Ridge.partCount)
    var covered = [Double](repeating: 0, count: Ridge.partCount)
    for range in arrived.ranges {
      let lower = min(Double(range.lower) / part, Double(Ridge.partCount))
      let upper = min(Double(range.upper) / part, Double(Ridge.partCount))
      for index in Int(lower)..<max(Int(lower), min(Ridge.partCount, Int(upper) + 1)) {
        covered[index] += min(upper, Double(index + 1)) - max(lower, Double(index))
      }
    }
    let parts = zip(covered, speeds).map { covered, speed -> UInt8 in
      guard covered > 0 else { return 0 }
      let share = speed > 0 && fastest > 0 ? speed / fastest : 0.5
      return 1 + UInt8(min(1, share * min(1, covered)) * Double(Ridge.levelMax - 1))
    }
    return Ridge(parts: parts)
  }
}
