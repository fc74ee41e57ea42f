import TestSupport

/// The bytes of a reply on the wire.
struct RenderedReply: Sendable {
  var bytes: [UInt8]
  var isReset = false
  var staysOpen = false
}

/// Makes the bytes of one reply: the truth about the request, then the edits of the script.
struct ReplyRendering {
  let script: ResponseScript
  let reply: ScriptedReply
  /// The number of the request within the download, from 1.
  let number: Int
  let path: String
  let asked: Range<Int>?
  let ifRange: String?

  private var status = 200
  private var part = 0..<0
  private var headers: [(name: String, value: String)] = []
  private let body: [UInt8]

  init(_ script: ResponseScript, to request: OriginRequest) {
    self.script = script
    number = request.numberForPath
    path = request.path
    let last = ScriptedReply(version: script.replies.last?.version ?? 1)
    reply = number <= script.replies.count ? script.replies[number - 1] : last
    ifRange = request.value(of: "If-Range")
    body = Self.file(version: reply.version, of: script)
    asked = request.value(of: "Range").flatMap { Self.range($0, total: .max) }
  }

  /// The bytes of a version. None of them is ASCII, so that no part of a file looks like framing by
  /// accident: otherwise a broken reply could look like a valid one.
  static func file(version: Int, of script: ResponseScript) -> [UInt8] {
    let byteCount = script.byteCounts[version == 2 ? 1 : 0]
    return SeededBody(seed: UInt64(version), byteCount: Int64(byteCount)).bytes.map { $0 | 0x80 }
  }

  /// `bytes=A-B` or `bytes=A-`.
  static func range(_ text: String, total: Int) -> Range<Int>? {
    guard text.hasPrefix("bytes=") else { return nil }
    let parts = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let first = Int(parts[0]) else { return nil }
    guard let last = Int(parts[1]) else { return first..<max(first, total) }
    return last < first ? nil : first..<min(last + 1, max(first, total))
  }

  mutating func rendered() -> RenderedReply {
    tellTruth()
    for edit in reply.edits { apply(edit) }
    for edit in reply.edits {
      guard case .redirect(let status, let place) = edit else { continue }
      let location = place == "/same" ? path : place
      let text = "HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
      return RenderedReply(bytes: Array(text.utf8))
    }
    return onWire()
  }

  // MARK: The truth

  private mutating func tellTruth() {
    let tag = tag
    headers = [("Date", "Thu, 22 Oct 2015 07:28:00 GMT"), ("Accept-Ranges", "bytes")]
    if let tag { headers.append(("ETag", tag)) }
    let date = lastModified
    if let date { headers.append(("Last-Modified", date)) }
    let isSame = ifRange.map { $0 == tag || $0 == date } ?? true
    part = 0..<body.count
    if let asked, reply.honoursRanges, isSame {
      if asked.lowerBound < body.count {
        status = 206
        part = asked.clamped(to: part)
        headers.append(("Content-Range", Self.label(part, total: body.count)))
      } else {
        status = 416
        part = 0..<0
        headers.append(("Content-Range", "bytes */\(body.count)"))
      }
    }
    if reply.edits.contains(.tailOnly), status == 206 {
      status = 200
      headers.removeAll { $0.name == "Content-Range" }
    }
    switch reply.framing {
    case .length: headers.append(("Content-Length", "\(part.count)"))
    case .chunked: headers.append(("Transfer-Encoding", "chunked"))
    case .untilClose: headers.append(("Connection", "close"))
    }
  }

  private var tag: String? {
    switch script.validator {
    case .strong, .tag: "\"v\(reply.version)\""
    case .weak: "W/\"v\""
    case .rotating: "\"v\(reply.version)-\(number)\""
    case .date, .none: nil
    }
  }

  private var lastModified: String? {
    switch script.validator {
    case .strong, .date: "Wed, 2\(reply.version) Oct 2015 06:00:00 GMT"
    case .tag, .weak, .rotating, .none: nil
    }
  }

  private static func label(_ range: Range<Int>, total: Int) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
  }

  // MARK: Edits of the head

  private mutating func apply(_ edit: ResponseEdit) {
    switch edit {
    // A 206 where the true reply is not one would be an undetectable lie.
    case .status(let status): if status != 206 || self.status == 206 { self.status = status }
    case .removeHeader(let name): headers.removeAll { $0.name == name }
    case .setHeader(let name, let value):
      headers.removeAll { $0.name == name }
      addHeader(name, value)
    case .addHeader(let name, let value): addHeader(name, value)
    case .contentLength(let by): changeLength(by)
    case .contentRange(let first, let last, let total): changeRange(first, last, total)
    case .unknownTotal:
      for index in headers.indices where headers[index].name == "Content-Range" {
        let known = headers[index].value
        headers[index].value = String(known.prefix { $0 != "/" }) + "/*"
      }
    case .bareLineFeeds, .interim, .tailOnly, .chunkSize, .chunkExtension, .noLastChunk, .trailer,
      .excess, .cut, .keepOpen, .redirect:
      break
    }
  }

  private mutating func addHeader(_ name: String, _ value: String) {
    headers.append((name, value.replacing("{v}", with: "\(reply.version)")))
  }

  private mutating func changeLength(_ by: Int) {
    let index = headers.firstIndex { $0.name == "Content-Length" }
    let known = index.flatMap { Int(headers[$0].value) } ?? part.count
    let field = ("Content-Length", "\(max(0, known + by))")
    if let index { headers[index] = field } else { headers.append(field) }
  }

  private mutating func changeRange(_ first: Int, _ last: Int, _ total: Int) {
    // If the total is the only information, a wrong one cannot be detected.
    guard status != 416 else { return }
    let range = status == 206 ? part : (asked ?? part).clamped(to: 0..<max(1, body.count))
    let text =
      "bytes \(max(0, range.lowerBound + first))-\(max(0, range.upperBound - 1 + last))"
      + "/\(max(0, body.count + total))"
    headers.removeAll { $0.name == "Content-Range" }
    headers.append(("Content-Range", text))
  }

  // MARK: Bytes

  private func onWire() -> RenderedReply {
    var bytes: [UInt8] = []
    for case .interim(let status) in reply.edits {
      bytes += Array("HTTP/1.1 \(status) Wait\r\nX: y\r\n\r\n".utf8)
    }
    let lineEnd = reply.edits.contains(.bareLineFeeds) ? "\n" : "\r\n"
    let lines = ["HTTP/1.1 \(status) Status"] + headers.map { $0.name + ": " + $0.value }
    bytes += Array((lines.joined(separator: lineEnd) + lineEnd + lineEnd).utf8)
    switch reply.framing {
    case .length, .untilClose: bytes += body[part]
    case .chunked(let byteCount): bytes += chunked(max(1, byteCount))
    }
    var rendered = RenderedReply(bytes: bytes)
    rendered.staysOpen = reply.edits.isEmpty && reply.framing != .untilClose
    for edit in reply.edits { lengthen(edit, &rendered) }
    for case .cut(let perMille, let isReset) in reply.edits {
      let count = rendered.bytes.count * min(max(perMille, 0), 1000) / 1000
      rendered.bytes.removeLast(rendered.bytes.count - count)
      rendered.isReset = isReset
    }
    return rendered
  }

  private func lengthen(_ edit: ResponseEdit, _ rendered: inout RenderedReply) {
    switch edit {
    case .excess(let count): rendered.bytes += [UInt8](repeating: 120, count: max(0, count))
    case .keepOpen: rendered.staysOpen = true
    case .status, .removeHeader, .setHeader, .addHeader, .contentLength, .contentRange,
      .unknownTotal, .bareLineFeeds, .interim, .tailOnly, .chunkSize, .chunkExtension,
      .noLastChunk, .trailer, .cut, .redirect:
      break
    }
  }

  private func chunked(_ byteCount: Int) -> [UInt8] {
    let starts = Array(stride(from: part.lowerBound, to: part.upperBound, by: byteCount))
    var bytes: [UInt8] = []
    for (index, start) in starts.enumerated() {
      let chunk = body[start..<min(part.upperBound, start + byteCount)]
      var (size, suffix) = (chunk.count, "")
      for edit in reply.edits {
        if case .chunkSize(let number, let by) = edit, number % starts.count == index {
          size = max(0, size + by)
        }
        if case .chunkExtension(let number, let text) = edit, number % starts.count == index {
          suffix += text
        }
      }
      bytes += Array((String(size, radix: 16) + suffix + "\r\n").utf8) + chunk + [13, 10]
    }
    if reply.edits.contains(.noLastChunk) { return bytes }
    let trailers = reply.edits.compactMap { edit -> String? in
      if case .trailer(let text) = edit { text + "\r\n" } else { nil }
    }
    return bytes + Array(("0\r\n" + trailers.joined() + "\r\n").utf8)
  }
}
