import KettleModel
import TestSupport

/// One combination of the fields of a reply, and the required outcome. docs/faults.md describes the
/// rules.
struct ReplyCombination: Hashable, Sendable, CustomStringConvertible {
  enum Status: Int, Sendable, CaseIterable {
    case whole = 200
    case transformed = 203
    case part = 206
    case unsatisfied = 416
  }

  /// The ETag, compared with that of the first reply.
  enum Tag: Sendable, CaseIterable {
    case same, other, weak, none
  }

  /// The length of the file, compared with that of the first reply.
  enum Length: Sendable, CaseIterable {
    case same, other, none
  }

  enum ContentRange: Sendable, CaseIterable {
    case right, wrong, none
  }

  /// Chunked encoding accompanies a Content-Length if there is one.
  enum Framing: Sendable, CaseIterable {
    case plain, chunks, chunkTooLong, lineFeed
  }

  /// The outcome of a download that gets no other reply.
  enum Outcome: Hashable, Sendable {
    case file(SeededBody)
    /// It fails, because the reply contradicts itself or the first one.
    case contradiction
    /// It fails in another way.
    case noFile
  }

  var number: UInt64
  /// Whether an earlier reply, that of `known`, was cut after `heldByteCount` bytes.
  var holdsBytes: Bool
  var status: Status
  var tag: Tag
  var length: Length
  var contentRange: ContentRange
  var framing: Framing

  static let heldByteCount: Int64 = 1000
  private static let chunkByteCount = 500
  private static let knownTag = "\"a\""

  var path: String { "/\(number).bin" }
  var known: SeededBody { SeededBody(seed: number, byteCount: 3000) }

  /// The current file of the server.
  var current: SeededBody {
    let isKnown = tag != .other && (length != .other || (tag == .same && holdsBytes))
    return isKnown
      ? known
      : SeededBody(seed: number + 1_000_000, byteCount: length == .other ? 2500 : 3000)
  }

  var description: String {
    "\(number): \(status.rawValue), tag \(tag), length \(length), Content-Range \(contentRange), "
      + "\(framing)\(holdsBytes ? "" : ", nothing durable")"
  }

  /// All distinct combinations.
  static let all: [ReplyCombination] = {
    var all: [ReplyCombination] = []
    for status in Status.allCases {
      for tag in Tag.allCases {
        for length in Length.allCases {
          // A 416 has no length but that of its Content-Range.
          if status == .unsatisfied, length == .none { continue }
          for contentRange in ContentRange.allCases {
            for framing in Framing.allCases {
              // For a first reply there is no ETag to compare with.
              for holdsBytes in tag == .same ? [true, false] : [true] {
                all.append(
                  ReplyCombination(
                    number: UInt64(all.count + 1), holdsBytes: holdsBytes, status: status,
                    tag: tag, length: length, contentRange: contentRange, framing: framing))
              }
            }
          }
        }
      }
    }
    return all
  }()
}

// MARK: - The required outcome

extension ReplyCombination {
  var isBroken: Bool { framing == .chunkTooLong || framing == .lineFeed }

  var outcome: Outcome {
    switch status {
    case .whole, .transformed: outcomeOfWhole
    case .part: holdsBytes ? outcomeOfPart : outcomeOfPartUnasked
    case .unsatisfied: holdsBytes ? outcomeOfRefusal : .noFile
    }
  }

  /// The known tag with another length.
  private var contradictsFirst: Bool { holdsBytes && tag == .same && length == .other }

  private var outcomeOfWhole: Outcome {
    // It repeats the length of the file, and the complete file is requested in the end.
    if contentRange == .right, length == .same, framing == .plain { return .file(current) }
    if contentRange != .none { return .contradiction }
    // With chunks the length does not count: the body turns out to be too short.
    if contradictsFirst { return framing == .plain ? .contradiction : .noFile }
    return isBroken ? .noFile : .file(current)
  }

  private var outcomeOfPart: Outcome {
    // The engine requests the complete file in the end, and the server responds with it.
    if contentRange != .right { return .file(current) }
    if contradictsFirst { return .file(current) }
    let isTaken = length != .other && (tag == .same || tag == .none)
    return isTaken && isBroken ? .noFile : .file(current)
  }

  /// The engine requests all bytes as a range.
  private var outcomeOfPartUnasked: Outcome {
    contentRange == .right && length != .none && !isBroken ? .file(current) : .noFile
  }

  private var outcomeOfRefusal: Outcome { .file(current) }
}

// MARK: - The replies of the server

extension ReplyCombination {
  /// The reply to a request.
  func answer(_ request: OriginRequest) -> OriginBehavior {
    let truth = OriginBehavior(known).with {
      $0.entityTag = .fixed(Self.knownTag)
      $0.lastModified = nil
    }
    if holdsBytes, request.numberForPath == 1 {
      return truth.with { $0.ending = .cut(after: Self.heldByteCount, .fin) }
    }
    let asked = Self.asked(request)
    // A false reply with the complete file could not be distinguished from a different file.
    if asked == nil, holdsBytes, status == .part || status == .unsatisfied {
      return raw(200, body: current.bytes, contentRange: nil, framing: .plain, hasLength: true)
    }
    let lower = asked?.lowerBound ?? 0
    switch status {
    case .whole, .transformed:
      let isTail = contradictsFirst
      let body = isTail ? known.bytes(in: Self.heldByteCount..<known.byteCount) : current.bytes
      return raw(
        status.rawValue, body: body, contentRange: label(lower, known.byteCount),
        framing: framing, hasLength: length != .none)
    case .part:
      let upper = min(asked?.upperBound ?? .max, total)
      return raw(
        206, body: current.bytes(in: min(lower, upper)..<upper),
        contentRange: label(lower, upper), framing: framing, hasLength: length != .none)
    case .unsatisfied:
      return raw(
        416, body: [], contentRange: label(lower, total), framing: framing, hasLength: true)
    }
  }

  private var total: Int64 { length == .other ? 2500 : 3000 }

  private func label(_ lower: Int64, _ upper: Int64) -> String? {
    let shown = length == .none ? "*" : "\(total)"
    return switch (contentRange, status) {
    case (.none, _): nil
    case (.right, .unsatisfied): "bytes */\(total)"
    case (.right, _): "bytes \(lower)-\(upper - 1)/\(shown)"
    case (.wrong, .unsatisfied): "bytes 0-9/\(total)"
    case (.wrong, _): "bytes \(lower + 1)-\(upper - 1)/\(shown)"
    }
  }

  private static func asked(_ request: OriginRequest) -> Range<Int64>? {
    let text = request.value(of: "Range")?.split(separator: "=").last ?? ""
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int64(parts[0]) else { return nil }
    return first..<(Int64(parts[1]).map { $0 + 1 } ?? .max)
  }

  private func raw(
    _ status: Int, body: [UInt8], contentRange: String?, framing: Framing, hasLength: Bool
  ) -> OriginBehavior {
    var lines = ["HTTP/1.1 \(status) Status", "Connection: close"]
    switch tag {
    case .same: lines.append("ETag: " + Self.knownTag)
    case .other: lines.append("ETag: \"b\"")
    case .weak: lines.append("ETag: W/" + Self.knownTag)
    case .none: break
    }
    if let contentRange { lines.append("Content-Range: " + contentRange) }
    if hasLength { lines.append("Content-Length: \(body.count)") }
    var bytes = body
    var flaw: ChunkScript.Flaw?
    switch framing {
    case .plain: break
    case .chunks: flaw = nil
    case .chunkTooLong: flaw = .announcedTooLong(by: 10)
    case .lineFeed: flaw = .lineFeedInExtension
    }
    if framing != .plain {
      lines.append("Transfer-Encoding: chunked")
      let script = ChunkScript(
        chunkByteCount: Self.chunkByteCount, flaw: flaw, at: 2 * Int64(Self.chunkByteCount))
      bytes = script.encoded(body) + script.end
    }
    let head = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    return .raw(head + bytes).with { behavior in
      // Bytes before the flaw must have time to be written.
      if flaw != nil { behavior.bytesPerSecond = 20 * 1200 }
    }
  }
}
