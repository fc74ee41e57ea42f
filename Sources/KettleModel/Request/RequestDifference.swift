/// What a new request for the URL of a transfer asks that the transfer was not asked: every part of
/// it, so that no option of a command can be dropped.
///
///     let difference = RequestDifference(from: stored, at: path, to: asked)
///     if difference.isForAnotherFile { add(asked) }
public struct RequestDifference: Hashable, Sendable {
  /// In the order of `RequestPart`.
  public let parts: [RequestPart]
  private let asked: TransferSpec

  /// - Parameters:
  ///   - stored: the request of the transfer, as the service has completed it.
  ///   - path: where its file is or will be; nil if that is not known.
  ///   - asked: the new request.
  public init(from stored: TransferSpec, at path: String?, to asked: TransferSpec) {
    self.asked = asked
    parts = RequestPart.allCases.filter { part in
      switch part.reach {
      case .implied: return false
      case .always, .comparedWithFile, .untilComplete, .untilCompleteByNewRequests,
        .untilFirstByte, .untilStart, .never:
        break
      }
      return asked.differs(from: stored, in: part) && !Self.isMet(part, of: asked, by: path)
    }
  }

  /// Whether a file is where a request wants it. The name may come from the server, and the
  /// directory from a rule.
  private static func isMet(
    _ part: RequestPart, of asked: TransferSpec, by path: String?
  ) -> Bool {
    guard let path, let slash = path.lastIndex(of: "/") else { return false }
    if part == .directory { return asked.directory.map { $0 == path[..<slash] } ?? true }
    return part == .name && asked.name.map { $0.text == path[slash...].dropFirst() } ?? true
  }

  public var isEmpty: Bool { parts.isEmpty }

  /// The parts for people, as properties: `priority, title`.
  public var partWords: String { parts.map(\.rawValue).joined(separator: ", ") }

  /// Whether the request means another file than the transfer's.
  public var isForAnotherFile: Bool { parts.contains { $0.reach == .never } }

  /// The checksum that a finished file must be compared with; nil without a new one.
  public var checksum: Checksum? { parts.contains(.checksum) ? asked.checksum : nil }

  /// Whether requests that were made are to be made again.
  public var needsNewRequests: Bool {
    parts.contains { $0.reach == .untilCompleteByNewRequests || $0.reach == .untilFirstByte }
  }

  /// How far a transfer is.
  public enum Progress: Sendable, Hashable {
    /// It stands still until the user or a date starts it.
    case standing(hasBytes: Bool)
    /// It runs, or will by itself.
    case underWay(hasBytes: Bool)
    case complete
  }

  /// The parts that a transfer cannot take over any more.
  public func parts(tooLateAt progress: Progress) -> [RequestPart] {
    parts.filter { part in
      // The proxies of an environment apply to a request without being asked for.
      if part == .proxy, case .environment? = asked.options.proxy, progress == .complete {
        return false
      }
      return switch part.reach {
      case .always, .comparedWithFile, .implied: false
      case .untilComplete, .untilCompleteByNewRequests: progress == .complete
      case .untilFirstByte: progress.hasBytes
      case .untilStart: !progress.stands
      case .never: true
      }
    }
  }

  /// Returns the stored request with everything that is asked.
  public func applied(to stored: TransferSpec) -> TransferSpec {
    var spec = stored
    for part in parts { spec.take(part, from: asked) }
    return spec
  }
}

extension RequestDifference.Progress {
  fileprivate var hasBytes: Bool {
    switch self {
    case .standing(let hasBytes), .underWay(let hasBytes): hasBytes
    case .complete: true
    }
  }

  fileprivate var stands: Bool {
    switch self {
    case .standing: true
    case .underWay, .complete: false
    }
  }
}
