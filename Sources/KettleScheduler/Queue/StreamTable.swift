import KettleModel

/// Which origins serve many small files, and have HTTP/2 to send them over one connection.
///
/// Both must be known before anything runs beside the slots: the last responses were all small, and
/// one request that offered HTTP/2 was answered with it.
package struct StreamTable: Sendable {
  private enum Support: Sendable, Hashable {
    case unknown
    /// The attempt offers HTTP/2.
    case tried(AttemptID)
    case offered
    /// HTTP/1.1 only, or streams have broken too often. Not tried again while the service runs.
    case refused
  }

  private struct Knowledge: Sendable {
    var support = Support.unknown
    /// The number of consecutive small files, up to `smallCountMin`.
    var smallCount = 0
    var breakCount = 0
  }

  private var known: [Origin: Knowledge] = [:]

  /// So many small files in a row must have come from an origin.
  static let smallCountMin = 4
  /// After so many broken connections an origin gets no streams any more.
  static let breakCountMax = 3
  /// What is known of more origins than this is forgotten.
  static let originCountMax = 1000

  package init() {}

  func permitsTrial(at origin: Origin) -> Bool {
    origin.scheme == .https && (known[origin]?.support ?? .unknown) == .unknown
  }

  mutating func beginTrial(by attempt: AttemptID, at origin: Origin) {
    if known.count >= Self.originCountMax { known = [:] }
    known[origin, default: Knowledge()].support = .tried(attempt)
  }

  /// The origins whose queued transfers may run as streams, in a fixed order.
  var readyOrigins: [Origin] {
    known.filter { permitsStreams($0.value) }.keys.sorted { $0.text < $1.text }
  }

  func permitsStreams(at origin: Origin) -> Bool {
    known[origin].map(permitsStreams) ?? false
  }

  private func permitsStreams(_ knowledge: Knowledge) -> Bool {
    knowledge.support == .offered && knowledge.smallCount >= Self.smallCountMin
  }

  /// Records a response of an origin.
  ///
  /// - Parameter isStream: whether it came over HTTP/2.
  mutating func record(
    _ head: ResponseHead, of attempt: AttemptID, at origin: Origin, isStream: Bool
  ) {
    // Without a trial nothing about the origin matters.
    guard var knowledge = known[origin] else { return }
    if knowledge.support == .tried(attempt) {
      knowledge.support = isStream ? .offered : .refused
    }
    knowledge.smallCount =
      head.isOfSmallFile ? min(knowledge.smallCount + 1, Self.smallCountMin) : 0
    known[origin] = knowledge
  }

  /// Records the end of an attempt. The first stream that breaks speaks for all that share its
  /// connection. A trial that ended before its response leaves the question open.
  ///
  /// - Parameter isBeside: whether it was a stream beside the slots.
  mutating func recordEnd(
    of attempt: AttemptID, _ outcome: AttemptOutcome, at origin: Origin, isBeside: Bool
  ) {
    guard var knowledge = known[origin] else { return }
    let isBroken =
      switch outcome {
      case .failed(let failure): isBeside || failure.mayBeTheStream
      case .complete, .document, .cancelled, .untrusted, .certificateWanted: false
      }
    let isOpen = knowledge.support == .tried(attempt)
    guard isOpen || (isBeside && isBroken && knowledge.support == .offered) else { return }
    if isBroken { knowledge.breakCount += 1 }
    knowledge.support = knowledge.breakCount < Self.breakCountMax ? .unknown : .refused
    knowledge.smallCount = 0
    known[origin] = knowledge
  }
}
