import KettleControl
import KettleModel
import SeededNumbers
import Testing

struct RequestCoderFuzzTests {
  private static let valid = [
    #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"client":"kettle","protocolVersion":1}}"#,
    #"""
    {"jsonrpc":"2.0","id":"x","method":"transfers.control","params":{"control":"pause",\#
    "selection":{"ids":[1,2]}}}
    """#,
    #"""
    {"jsonrpc":"2.0","id":5,"method":"transfers.add","params":{"transfers":[{\#
    "beginning":"queued","headers":[{"name":"A","value":"b"}],"onConflict":"rename",\#
    "priority":{"value":0.5},"session":"kettle","url":"https:\#
    //example.org/guide.pdf"}]}}
    """#,
    #"""
    {"jsonrpc":"2.0","id":6,"method":"viewport.subscribe","params":{"count":50,"filter":\#
    {"states":["running"]},"first":0,"sort":{"isDescending":false,"key":"queue"}}}
    """#,
  ]

  private static let pieces = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "NaN", "-", "1e999", "9223372036854775808",
    "\\ud800", "\\u0000", "\u{FEFF}", "\r", "\u{7F}", "true", "0.1", "2.0",
  ]

  private func edit(_ line: inout [UInt8], _ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...line.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: line.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 1: if place < line.count { line.remove(at: place) }
      case 2: if place < line.count { line[place] = UInt8.random(in: 0...255, using: &random) }
      case 3:
        line.insert(
          contentsOf: Self.pieces.randomElement(using: &random)?.utf8 ?? "".utf8, at: place)
      default: line.removeSubrange(place..<min(line.count, place + 20))
      }
    }
  }

  /// Checks that the outcome is one of the three, and that an accepted request survives a round
  /// trip, so that a client could have written it.
  // Fault 115
  @Test func `edited lines are decoded or refused`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let requests = RequestCoder()
    let replies = ReplyCoder()
    var refusedCount = 0
    for _ in 0..<4000 {
      var line = bytes(Self.valid.randomElement(using: &random) ?? "")
      edit(&line, &random)
      switch requests.decode(line) {
      case .request(_, .add(let params)):
        #expect(params.transfers.allSatisfy { $0.refusedPart == nil }, "seed \(seed)")
      case .request(_, .list(let viewport)), .request(_, .subscribe(let viewport)):
        #expect(viewport.first >= 0 && viewport.count >= 0, "seed \(seed)")
      case .request, .notification: break
      case .refused(let id, let error):
        refusedCount += 1
        let reply = replies.decode(replies.encode(error: error, to: id))
        #expect(reply == .error(id, error), "seed \(seed)")
      }
      _ = replies.decode(line)
    }
    #expect(refusedCount > 100, "seed \(seed)")
  }
}
