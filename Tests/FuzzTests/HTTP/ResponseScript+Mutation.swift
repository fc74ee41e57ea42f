import SeededNumbers

extension ResponseScript {
  static let samples: [ResponseScript] = [
    ResponseScript(byteCounts: [5000, 6000], replies: [ScriptedReply()]),
    ResponseScript(
      byteCounts: [90_000, 90_000], replies: [ScriptedReply(framing: .chunked(byteCount: 8000))]),
    ResponseScript(
      byteCounts: [300_000, 200_000], connections: 4,
      replies: [
        ScriptedReply(edits: [.cut(perMille: 700, isReset: true)]), ScriptedReply(),
      ]),
    ResponseScript(
      byteCounts: [120_000, 9000],
      replies: [
        ScriptedReply(
          framing: .chunked(byteCount: 20_000), edits: [.cut(perMille: 500, isReset: false)]),
        ScriptedReply(), ScriptedReply(),
      ]),
    ResponseScript(
      byteCounts: [150_000, 150_000], validator: .weak,
      replies: [ScriptedReply(edits: [.cut(perMille: 800, isReset: true)]), ScriptedReply()]),
    ResponseScript(
      byteCounts: [2000, 0], validator: .none, replies: [ScriptedReply(framing: .untilClose)]),
  ]

  func mutated(_ random: inout SeededGenerator) -> ResponseScript {
    var script = self
    switch Int.random(in: 0..<16, using: &random) {
    case 0: script.validator = Validator.allCases.randomElement(using: &random) ?? .strong
    case 1: script.connections = Int.random(in: 1...6, using: &random)
    case 2:
      let index = Int.random(in: 0...1, using: &random)
      script.byteCounts[index] = Self.byteCount(&random)
    case 3:
      let index = Int.random(in: 0...script.replies.count, using: &random)
      script.replies.insert(ScriptedReply(version: .random(in: 1...2, using: &random)), at: index)
    case 4 where script.replies.count > 1:
      script.replies.remove(at: .random(in: script.replies.indices, using: &random))
    case 5 where script.replies.count > 1:
      script.replies.swapAt(
        .random(in: script.replies.indices, using: &random),
        .random(in: script.replies.indices, using: &random))
    default:
      guard let index = script.replies.indices.randomElement(using: &random) else {
        script.replies = [ScriptedReply()]
        break
      }
      script.replies[index].mutate(&random)
    }
    script.replies = Array(script.replies.prefix(8))
    return script
  }

  private static func byteCount(_ random: inout SeededGenerator) -> Int {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: [0, 1, 2, 3, 16_383, 16_384, 16_385, 65_536].randomElement(using: &random) ?? 0
    case 1: Int.random(in: 100_000...600_000, using: &random)
    default: Int.random(in: 1...20_000, using: &random)
    }
  }

  /// Fewer replies, fewer edits, simpler replies, smaller files.
  var simplifications: [ResponseScript] {
    var simpler: [ResponseScript] = []
    func add(_ change: (inout ResponseScript) -> Void) {
      var script = self
      change(&script)
      if script != self { simpler.append(script) }
    }
    for index in replies.indices {
      add { $0.replies.remove(at: index) }
      for edit in replies[index].edits.indices { add { $0.replies[index].edits.remove(at: edit) } }
    }
    for index in replies.indices {
      add { $0.replies[index].framing = .length }
      add { $0.replies[index].honoursRanges = true }
      add { $0.replies[index].version = 1 }
    }
    add { $0.connections = 1 }
    add { $0.validator = .strong }
    add { $0.validator = .tag }
    for index in byteCounts.indices {
      add { $0.byteCounts[index] /= 2 }
      if byteCounts[index] > 100 { add { $0.byteCounts[index] = 100 } }
    }
    return simpler
  }
}

extension ScriptedReply {
  mutating func mutate(_ random: inout SeededGenerator) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: version = 3 - version
    case 1:
      let size = 1 << Int.random(in: 0...15, using: &random)
      framing =
        [.length, .chunked(byteCount: size), .chunked(byteCount: size), .untilClose]
        .randomElement(using: &random) ?? .length
    case 2: honoursRanges.toggle()
    case 3 where !edits.isEmpty: edits.remove(at: .random(in: edits.indices, using: &random))
    default: edits.append(ResponseEdit(random: &random))
    }
    edits = Array(edits.suffix(6))
  }
}

extension ResponseEdit {
  private static let statuses = [
    100, 101, 103, 199, 200, 201, 203, 204, 205, 206, 226, 299, 300, 304, 400, 403, 404, 410, 416,
    429, 500, 503, 599, 600, 999, 0,
  ]
  private static let names = [
    "Date", "ETag", "Last-Modified", "Accept-Ranges", "Content-Range", "Content-Length",
    "Transfer-Encoding", "Content-Type", "Content-Encoding", "Connection",
  ]
  private static let fields = [
    ("ETag", "\"x{v}\""), ("ETag", "W/\"v{v}\""), ("ETag", "v{v}"), ("ETag", "\"v{v}"),
    ("ETag", "\"\""), ("ETag", ""), ("Last-Modified", "yesterday"), ("Last-Modified", ""),
    ("Date", "Wed, 21 Oct 2015 07:28:00 GMT"), ("Accept-Ranges", "none"),
    ("Content-Encoding", "gzip"), ("Content-Encoding", "identity"), ("Content-Encoding", "br"),
    ("Content-Type", "text/html"), ("Content-Type", "multipart/byteranges; boundary=cut"),
    ("Content-Disposition", "attachment; filename=\"../../{v}\""),
    ("Content-Disposition", "attachment; filename*=UTF-8''%00%0a{v}"),
    ("Content-Length", ""), ("Content-Length", "-1"), ("Content-Length", "+5"),
    ("Content-Length", "0x10"), ("Content-Length", "5, 5"), ("Content-Length", "5, 6"),
    ("Content-Length", "99999999999999999999"), ("Content-Length", "0"),
    ("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity"),
    ("Transfer-Encoding", "gzip, chunked"), ("Transfer-Encoding", "chunked, chunked"),
    ("Transfer-Encoding", " chunked"), ("Transfer-Encoding", "xchunked"),
    ("Content-Range", "bytes"), ("Content-Range", "bytes */*"), ("Content-Range", "items 0-1/2"),
    ("Connection", "close"), ("Connection", "keep-alive"), ("Retry-After", "0"),
    ("Retry-After", "-5"), ("Location", "/same"), ("Set-Cookie", "a=b"),
    ("Repr-Digest", "sha-256=:AAAA:"), ("X-Long", String(repeating: "x", count: 9000)),
    ("X-Bare", "a\rb"), ("X Space", "a"), ("X-Colonless\r\nfolded", "a"), (" Folded", "a"),
    ("WWW-Authenticate", "Basic realm=\"x\""), ("Alt-Svc", "h2=\":1\""), ("Upgrade", "h2c"),
  ]
  private static let extensions = [";a=b", ";", ";a\nb", ";a\rb", " ", ";\"q\"", "\t", ";a\n"]
  private static let places = [
    "/same", "", "//", "http://", "/absent", "ftp://127.0.0.1/", "\u{1}",
  ]

  init(random: inout SeededGenerator) {
    func near() -> Int { [-1000, -10, -1, 1, 3, 10, 1000].randomElement(using: &random) ?? 1 }
    func chunk() -> Int { Int.random(in: 0..<12, using: &random) }
    let field = Self.fields.randomElement(using: &random) ?? ("X", "y")
    switch Int.random(in: 0..<25, using: &random) {
    case 0, 1: self = .status(Self.statuses.randomElement(using: &random) ?? 200)
    case 2: self = .removeHeader(Self.names.randomElement(using: &random) ?? "ETag")
    case 3, 4: self = .setHeader(field.0, field.1)
    case 5, 6: self = .addHeader(field.0, field.1)
    case 7: self = .bareLineFeeds
    case 8: self = .interim([100, 102, 103, 199].randomElement(using: &random) ?? 103)
    case 9, 10: self = .contentLength(by: near())
    case 11, 12:
      let which = Int.random(in: 0..<4, using: &random)
      self = .contentRange(
        first: which == 0 ? near() : 0, last: which == 1 ? near() : 0,
        total: which == 2 ? near() : 0)
    case 13: self = .unknownTotal
    case 14, 15: self = .tailOnly
    case 16, 17: self = .chunkSize(chunk: chunk(), by: near())
    case 18:
      self = .chunkExtension(chunk: chunk(), Self.extensions.randomElement(using: &random) ?? ";")
    case 19: self = .noLastChunk
    case 20:
      self = .trailer(["X: y", "ETag: \"t\"", "", "bad"].randomElement(using: &random) ?? "")
    case 21: self = .excess(Int.random(in: 1...3000, using: &random))
    case 22, 23:
      self = .cut(
        perMille: Int.random(in: 0...1000, using: &random), isReset: .random(using: &random))
    default:
      self =
        Bool.random(using: &random)
        ? .keepOpen
        : .redirect(
          [301, 302, 303, 307, 308].randomElement(using: &random) ?? 302,
          Self.places.randomElement(using: &random) ?? "/same")
    }
  }
}
