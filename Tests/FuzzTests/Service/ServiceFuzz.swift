import Foundation
import KettleControl
import KettleDaemon

/// Lines of clients over the socket of a real service: each connection gets its replies, and no
/// client input ends the service.
struct ServiceFuzz: TextFuzzPart {
  let name = "service"
  let sharePercent = 10
  let samples: [[UInt8]] = ProtocolLines.samples
  let mutator = ProtocolLines.mutator
  private let world: ServiceUnderFuzz

  init(_ world: ServiceUnderFuzz) { self.world = world }

  func finding(for input: [UInt8]) async -> String? {
    let lines = input.split(separator: 10)
    if lines.contains(where: Self.endsService) { return nil }
    let sent =
      Array((Self.hello + "\n").utf8) + input + Array(("\n" + Self.last + "\n").utf8)
    switch await world.talk(sent) {
    case .failure(let problem): return problem.what
    case .success(let received): return Self.finding(in: received)
    }
  }

  private static func finding(in received: [UInt8]) -> String? {
    let coder = ReplyCoder()
    let lines = received.split(separator: 10)
    for line in lines {
      guard case .unreadable = coder.decode([UInt8](line)) else { continue }
      return "a reply cannot be read: \(String(decoding: line.prefix(300), as: UTF8.self))"
    }
    let texts = lines.map { String(decoding: $0, as: UTF8.self) }
    for id in ["fuzz-hello", "fuzz-last"] where !texts.contains(where: { $0.contains(id) }) {
      return "no reply to \(id); the last was \(texts.last?.prefix(300) ?? "none")"
    }
    return nil
  }

  private static let hello =
    #"{"jsonrpc":"2.0","id":"fuzz-hello","method":"hello","params":{"client":"fuzz","protocolVersion":1}}"#
  private static let last = #"{"jsonrpc":"2.0","id":"fuzz-last","method":"service.status"}"#

  /// Also a line that begins with a mutation of `hello`, because the connection has already sent
  /// that.
  private static func endsService(_ line: ArraySlice<UInt8>) -> Bool {
    guard case .request(_, let request) = RequestCoder().decode([UInt8](line)) else {
      return false
    }
    if case .adoptSession = request { return true }
    if case .attachSession = request { return true }
    return request == .stop
  }
}
