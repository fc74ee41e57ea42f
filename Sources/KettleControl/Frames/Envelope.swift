import KettleModel

/// The members of every JSON-RPC 2.0 message.
enum EnvelopeKey: String, CodingKey {
  case jsonrpc, id, method, params, result, error
}

/// The value of `jsonrpc` in every message.
let jsonRPCVersion = "2.0"

extension DecodingError {
  /// The path of the value that could not be read, such as `params.transfers[0].url`.
  var path: String {
    let keys: [any CodingKey] =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        context.codingPath
      case .keyNotFound(let key, let context): context.codingPath + [key]
      @unknown default: []
      }
    return keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}

extension DecodingError {
  /// Whether the value was decoded and then refused.
  var isRefusal: Bool {
    guard case .dataCorrupted(let context) = self else { return false }
    return context.underlyingError is RefusedPart || context.underlyingError is FileNameProblem
  }
}

/// The identifier by which a client matches a reply to its request (JSON-RPC 2.0, section 4). The
/// service echoes it.
package enum RequestID: Hashable, Sendable {
  case number(Int64)
  case string(String)
}

extension RequestID: Codable {
  /// Accepts only a 64-bit integer or a string.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let text = try? container.decode(String.self) {
      self = .string(text)
    } else {
      self = .number(try container.decode(Int64.self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    }
  }
}

/// The checks of a line before a JSON decoder sees it.
enum JSONShape {
  /// The reason why a line is not decoded.
  enum Problem: String, Hashable, Sendable {
    case tooDeep = "nesting"
    case controlByte = "control byte"
    case notUTF8 = "UTF-8"
  }

  /// No message of the protocol nests deeper than ten. The decoder recurses for each level, so a
  /// line of 100,000 brackets would overflow its stack.
  static let depthMax = 32

  /// Returns the problem of the line, found in one pass, or nil if the line may be decoded.
  ///
  /// Control bytes are refused because JSON allows none inside a string (RFC 8259, section 7), and
  /// because zero bytes make decoders mistake the line for UTF-16.
  static func problem(in line: [UInt8]) -> Problem? {
    var depth = 0
    var isInString = false
    var isEscaped = false
    for byte in line {
      if byte < 32, byte != UInt8(ascii: "\t"), byte != UInt8(ascii: "\r") { return .controlByte }
      if isEscaped {
        isEscaped = false
      } else if isInString {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isInString = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        if depth > depthMax { return .tooDeep }
      }
    }
    return String(validating: line, as: UTF8.self) == nil ? .notUTF8 : nil
  }
}

/// Splits a stream of bytes into lines and refuses an overlong line before buffering it.
///
/// Each byte is examined once, however the stream is split.
package struct LineDecoder: Sendable {
  /// The maximum length of a client's line, without its line feed.
  package static let byteCountMaxFromClient = 16 * 1024 * 1024
  /// The maximum length of a service's line; a full window of rows fits in many times.
  package static let byteCountMaxFromService = 64 * 1024 * 1024

  /// A line exceeded the maximum. The start of the next line is unknown, so the stream cannot be
  /// read further.
  package struct Overlong: Error, Hashable, Sendable {
    package let byteCountMax: Int

    package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }
  }

  private let byteCountMax: Int
  private var partial: [UInt8] = []

  package init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

  /// Whether an incomplete line is buffered.
  package var hasPartialLine: Bool { !partial.isEmpty }

  /// Consumes the next bytes and appends the completed lines to `lines`, without their line feeds.
  /// Omits empty lines.
  package mutating func decode(
    _ bytes: Span<UInt8>, into lines: inout [[UInt8]]
  ) throws(Overlong) {
    var start = 0
    for index in bytes.indices where bytes[index] == Self.lineFeed {
      try keep(bytes.extracting(start..<index))
      start = index + 1
      guard !partial.isEmpty else { continue }
      lines.append(partial)
      partial = []
    }
    try keep(bytes.extracting(start..<bytes.count))
  }

  private mutating func keep(_ bytes: Span<UInt8>) throws(Overlong) {
    guard bytes.count <= byteCountMax - partial.count else {
      partial = []
      throw Overlong(byteCountMax: byteCountMax)
    }
    bytes.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
  }

  private static let lineFeed = UInt8(ascii: "\n")
}
