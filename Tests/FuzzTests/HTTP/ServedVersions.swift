import TestSupport

/// The files that an origin has served in one download: the completed file must be one of these.
///
/// Besides the two versions of the script, these are the bodies of replies that are certainly the
/// complete file: 200 or 203, or 206 to a request for all bytes, flawless framing, no Content-Range
/// but one that repeats the length, and no contradiction to earlier replies with the same
/// validator.
struct ServedVersions: Sendable {
  private(set) var files: Set<[UInt8]>
  private(set) var wire: [String] = []
  private let script: ResponseScript
  private var lastTag: String?

  init(_ script: ResponseScript) {
    self.script = script
    files = Set([1, 2].map { ReplyRendering.file(version: $0, of: script) })
  }

  mutating func note(_ rendered: RenderedReply, to request: OriginRequest) {
    let range = request.value(of: "Range")
    let condition = request.value(of: "If-Range")
    let head = rendered.bytes.prefix { $0 != 13 && $0 != 10 }
    wire.append(
      "\(range ?? "all")\(condition.map { " if \($0)" } ?? "") -> "
        + "\(String(decoding: head, as: UTF8.self)), \(rendered.bytes.count) bytes")
    guard let reply = StrictReply(rendered.bytes, isReset: rendered.isReset) else { return }
    let tag = reply.strongTag
    defer { if reply.status == 200 || reply.status == 206 { lastTag = tag ?? lastTag } }
    let isForAll = range == nil || range == "bytes=0-"
    guard Self.isWhole(reply, isForAll: isForAll) else { return }
    // A compressed body is the file as it was sent.
    if !isForAll {
      let known = condition ?? lastTag
      let isSame =
        known != nil && (known == tag || known == reply.values(of: "Last-Modified").first)
      let isWhole = files.contains { $0.count == reply.body.count }
      if isSame, !isWhole { return }
    }
    files.insert(reply.body)
  }

  private static func isWhole(_ reply: StrictReply, isForAll: Bool) -> Bool {
    let labels = reply.values(of: "Content-Range").map { $0.lowercased() }
    let byteCount = reply.body.count
    let whole = "bytes 0-\(byteCount - 1)/"
    switch reply.status {
    case 200, 203:
      return labels.isEmpty
        || labels.count == 1
          && labels.allSatisfy {
            ["\(whole)\(byteCount)", "\(whole)*", "bytes */\(byteCount)"].contains($0)
          }
    case 206: return isForAll && labels.contains("\(whole)\(byteCount)")
    default: return false
    }
  }
}
