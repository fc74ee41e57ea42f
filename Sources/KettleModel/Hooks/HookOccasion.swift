/// The data of an event for its hook, as of the time of the event.
public enum HookOccasion: Hashable, Sendable {
  case transfer(TransferSnapshot)
  case allDone(HookTally)
}

/// How many transfers ended since the last `HookEvent.allDone`.
public struct HookTally: Hashable, Sendable, Codable {
  public var completed: Int
  public var failed: Int
  public var needsUser: Int

  public init(completed: Int = 0, failed: Int = 0, needsUser: Int = 0) {
    self.completed = completed
    self.failed = failed
    self.needsUser = needsUser
  }
}

extension HookOccasion: Codable {
  private enum CodingKeys: String, CodingKey { case transfer, tally }

  /// Decodes an object with `transfer` or `tally`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let tally = try container.decodeIfPresent(HookTally.self, forKey: .tally) {
      self = .allDone(tally)
    } else {
      self = .transfer(try container.decode(TransferSnapshot.self, forKey: .transfer))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .transfer(let snapshot): try container.encode(snapshot, forKey: .transfer)
    case .allDone(let tally): try container.encode(tally, forKey: .tally)
    }
  }
}

/// A change to the recorded runs of hooks.
public enum HookChange: Hashable, Sendable {
  /// Inserts a pending run.
  case add(HookRun, HookOccasion)
  /// Replaces a run. One that ended loses its occasion.
  case update(HookRun)
  /// Removes a run that is not over, because it cannot be read.
  case remove(HookRunID)
}
