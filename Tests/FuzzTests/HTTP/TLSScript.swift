import SeededNumbers

/// A reply over TLS, and the edits of its bytes between the server and the client.
struct TLSScript: Hashable, Sendable, Codable {
  enum Framing: String, Hashable, Sendable, Codable, CaseIterable {
    case length, chunked, untilClose
  }

  enum Edit: Hashable, Sendable, Codable {
    /// Flips a bit of the byte at this offset in the server's stream.
    case flip(offset: Int, bit: Int)
    case drop(offset: Int, byteCount: Int)
    case insert(offset: Int, byteCount: Int)
    case cut(offset: Int, isReset: Bool)

    var offset: Int {
      switch self {
      case .flip(let offset, _), .drop(let offset, _), .insert(let offset, _), .cut(let offset, _):
        offset
      }
    }
  }

  var byteCount: Int
  var framing: Framing
  /// The number of connections that are edited; later ones are not.
  var editedConnections = 1
  var edits: [Edit] = []

  static let samples = Framing.allCases.map { TLSScript(byteCount: 6000, framing: $0) }

  func mutated(_ random: inout SeededGenerator) -> TLSScript {
    var script = self
    switch Int.random(in: 0..<8, using: &random) {
    case 0: script.framing = Framing.allCases.randomElement(using: &random) ?? .length
    case 1: script.byteCount = Int.random(in: 0...60_000, using: &random)
    // More would not come to rest in time: the patience with a silent server doubles.
    case 2: script.editedConnections = Int.random(in: 1...6, using: &random)
    default:
      // A handshake takes about 1,000 bytes.
      let offset =
        Bool.random(using: &random)
        ? Int.random(in: 0..<1500, using: &random)
        : Int.random(in: 1000..<max(1001, script.byteCount + 2000), using: &random)
      let count = Int.random(in: 1...40, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: script.edits.append(.flip(offset: offset, bit: count % 8))
      case 1: script.edits.append(.drop(offset: offset, byteCount: count))
      case 2: script.edits.append(.insert(offset: offset, byteCount: count))
      default: script.edits.append(.cut(offset: offset, isReset: count % 2 == 0))
      }
    }
    return script
  }

  var simplifications: [TLSScript] {
    var simpler = edits.indices.map { index in
      var script = self
      script.edits.remove(at: index)
      return script
    }
    var smaller = self
    smaller.byteCount /= 2
    smaller.editedConnections = 1
    if smaller != self { simpler.append(smaller) }
    return simpler
  }

  var body: [UInt8] { (0..<max(0, byteCount)).map { UInt8(truncatingIfNeeded: 128 | $0 * 31) } }

  /// The complete reply, as it is in the server's file.
  var reply: [UInt8] {
    var head = "HTTP/1.1 200 OK\r\nETag: \"t\"\r\nConnection: close\r\n"
    switch framing {
    case .length: head += "Content-Length: \(body.count)\r\n\r\n"
    case .chunked: head += "Transfer-Encoding: chunked\r\n\r\n"
    case .untilClose: head += "\r\n"
    }
    guard framing == .chunked else { return Array(head.utf8) + body }
    let chunk =
      body.isEmpty ? [] : Array("\(String(body.count, radix: 16))\r\n".utf8) + body + [13, 10]
    return Array(head.utf8) + chunk + Array("0\r\n\r\n".utf8)
  }
}
