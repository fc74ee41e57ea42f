import KettleControl
import KettleModel

/// Lines of the control protocol: a stream has the same lines however it is split, and each line is
/// a request, a refusal or a notification.
struct ProtocolFuzz: TextFuzzPart {
  let name = "protocol"
  let sharePercent = 7
  let samples: [[UInt8]] = ProtocolLines.samples
  let mutator = ProtocolLines.mutator
  private let requests = RequestCoder()
  private let replies = ReplyCoder()

  func finding(for input: [UInt8]) -> String? {
    let expected = Self.lines(of: input, byteCountMax: 2000)
    for pieceByteCount in [1, 13, max(1, input.count)] {
      let found = Self.decoded(input, inPiecesOf: pieceByteCount, byteCountMax: 2000)
      if found != expected { return "in pieces of \(pieceByteCount) bytes other lines come out" }
    }
    for line in input.split(separator: 10) {
      _ = replies.decode([UInt8](line))
      guard case .refused(let id, let error) = requests.decode([UInt8](line)) else { continue }
      let reply = replies.encode(error: error, to: id)
      if reply.contains(10) { return "the refusal has a line feed" }
      guard case .unreadable = replies.decode(reply) else { continue }
      return "the refusal cannot be read: \(String(decoding: reply, as: UTF8.self))"
    }
    return nil
  }

  /// The lines of a stream, and whether it ends with one that is too long.
  private struct Lines: Hashable {
    var lines: [[UInt8]] = []
    var isOverlong = false
  }

  /// The expected result of `LineDecoder`, computed simply.
  private static func lines(of bytes: [UInt8], byteCountMax: Int) -> Lines {
    var found = Lines()
    let parts = bytes.split(separator: 10, omittingEmptySubsequences: false)
    for (number, part) in parts.enumerated() {
      if part.count > byteCountMax {
        found.isOverlong = true
        return found
      }
      // No line feed follows the last part.
      if number < parts.count - 1, !part.isEmpty { found.lines.append([UInt8](part)) }
    }
    return found
  }

  private static func decoded(
    _ bytes: [UInt8], inPiecesOf pieceByteCount: Int, byteCountMax: Int
  ) -> Lines {
    var decoder = LineDecoder(byteCountMax: byteCountMax)
    var found = Lines()
    for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
      do throws(LineDecoder.Overlong) {
        let piece = bytes[start..<min(bytes.count, start + pieceByteCount)]
        try decoder.decode(piece.span, into: &found.lines)
      } catch {
        found.isOverlong = true
        return found
      }
    }
    return found
  }
}

/// Requests of clients, except those that start programs or end the service.
enum ProtocolLines {
  static let mutator = TextMutator(
    words: [
      "\"id\":null", "\"id\":\"x\"", "\"params\":[]", "\"jsonrpc\":\"1.0\"", "{}", "[]", "\n",
      "\"method\":\"service.status\"", "\"running\"", "\"all\":{}", "\"https://127.0.0.1:9/b\"",
    ],
    samples: samples)

  static let samples = [
    #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"client":"fuzz","protocolVersion":1}}"#,
    #"""
    {"jsonrpc":"2.0","id":2,"method":"transfers.add","params":{"transfers":[{"beginning":"paused",\#
    "headers":[{"name":"X","value":"y"}],"onConflict":"rename","priority":{"value":0.5},\#
    "session":"kettle","title":"ü","url":"http://127.0.0.1:9/guide.pdf"}]}}
    """#,
    #"""
    {"jsonrpc":"2.0","id":3,"method":"transfers.control","params":{"control":"pause",\#
    "selection":{"ids":[4,9]}}}
    """#,
    #"""
    {"jsonrpc":"2.0","id":4,"method":"transfers.list","params":{"filter":{"states":["running"],\#
    "session":"kettle","text":"ü"},"sort":{"key":"size","isDescending":true},"first":3,"count":40,\#
    "anchor":9}}
    """#,
    #"{"jsonrpc":"2.0","id":5,"method":"transfers.describe","params":{"id":1}}"#,
    #"{"jsonrpc":"2.0","id":6,"method":"service.status"}"#,
    #"{"jsonrpc":"2.0","id":7,"method":"events.watch","params":{}}"#,
    #"""
    {"jsonrpc":"2.0","id":8,"method":"viewport.subscribe","params":{"filter":{},\#
    "sort":{"key":"order","isDescending":false},"first":0,"count":30}}
    """#,
    #"{"jsonrpc":"2.0","id":"a","method":"limits.set","params":{"bytesPerSecond":1000}}"#,
    #"{"jsonrpc":"2.0","id":10,"method":"transfers.find","params":{"text":"a"}}"#,
    #"""
    {"jsonrpc":"2.0","id":11,"method":"transfers.move","params":{"ids":[2],"before":1}}
    {"jsonrpc":"2.0","id":12,"method":"transfers.ids","params":{}}
    {"jsonrpc":"2.0","id":13,"method":"transfers.clear"}

    """#,
  ].map { Array(($0 + "\n").utf8) }
}
