import TestSupport

/// The files that an origin has served in one download: the completed file must be one of these.
///
/// Besides the two versions of the script, these are the bodies of replies that are certainly the
/// complete file: 200 or 203, flawless framing, no Content-Range, and no contradiction to earlier
/// replies with the same validator.
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
    guard reply.status == 200 || reply.status == 203, reply.values(of: "Content-Range").isEmpty
    else { return }
    // A compressed body is the file as it was sent.
    if range != nil {
      let known = condition ?? lastTag
      let isSame =
        known != nil && (known == tag || known == reply.values(of: "Last-Modified").first)
      let isWhole = files.contains { $0.count == reply.body.count }
      if isSame, !isWhole { return }
    }
    files.insert(reply.body)
  }
}
