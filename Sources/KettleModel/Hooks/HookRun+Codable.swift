extension HookRun: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, event, source, transfer, command, dueAt, state, startedAt, finishedAt, outcome
    case code, signal, seconds, errno, lastLine
  }

  private enum State: String, Codable { case pending, running, ended }

  private enum OutcomeKind: String, Codable {
    case exited, killed, timedOut, notStarted, interrupted
  }

  /// Decodes a flat object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = HookRunID(rawValue: try container.decode(Int64.self, forKey: .id))
    event = try container.decode(HookEvent.self, forKey: .event)
    source = try container.decode(HookSource.self, forKey: .source)
    transfer = try container.decodeIfPresent(TransferID.self, forKey: .transfer)
    command = try container.decode(HookCommand.self, forKey: .command)
    dueAt = try container.decode(WallTime.self, forKey: .dueAt)
    standing =
      switch try container.decode(State.self, forKey: .state) {
      case .pending: .pending
      case .running: .running(since: try container.decode(WallTime.self, forKey: .startedAt))
      case .ended:
        .ended(
          HookEnd(
            try Self.outcome(container),
            at: try container.decode(WallTime.self, forKey: .finishedAt),
            lastLine: try container.decodeIfPresent(String.self, forKey: .lastLine)))
      }
  }

  private static func outcome(
    _ container: KeyedDecodingContainer<CodingKeys>
  ) throws -> HookOutcome {
    switch try container.decode(OutcomeKind.self, forKey: .outcome) {
    case .exited: .exited(code: try container.decode(Int.self, forKey: .code))
    case .killed: .killed(signal: try container.decode(Int.self, forKey: .signal))
    case .timedOut: .timedOut(seconds: try container.decode(Int.self, forKey: .seconds))
    case .notStarted: .notStarted(errno: try container.decode(String.self, forKey: .errno))
    case .interrupted: .interrupted
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id.rawValue, forKey: .id)
    try container.encode(event, forKey: .event)
    try container.encode(source, forKey: .source)
    try container.encodeIfPresent(transfer, forKey: .transfer)
    try container.encode(command, forKey: .command)
    try container.encode(dueAt, forKey: .dueAt)
    switch standing {
    case .pending: try container.encode(State.pending, forKey: .state)
    case .running(let since):
      try container.encode(State.running, forKey: .state)
      try container.encode(since, forKey: .startedAt)
    case .ended(let end):
      try container.encode(State.ended, forKey: .state)
      try container.encode(end.at, forKey: .finishedAt)
      try container.encodeIfPresent(end.lastLine, forKey: .lastLine)
      try Self.encode(end.outcome, in: &container)
    }
  }

  private static func encode(
    _ outcome: HookOutcome, in container: inout KeyedEncodingContainer<CodingKeys>
  ) throws {
    let kind: OutcomeKind
    switch outcome {
    case .exited(let code):
      kind = .exited
      try container.encode(code, forKey: .code)
    case .killed(let signal):
      kind = .killed
      try container.encode(signal, forKey: .signal)
    case .timedOut(let seconds):
      kind = .timedOut
      try container.encode(seconds, forKey: .seconds)
    case .notStarted(let name):
      kind = .notStarted
      try container.encode(name, forKey: .errno)
    case .interrupted: kind = .interrupted
    }
    try container.encode(kind, forKey: .outcome)
  }
}
