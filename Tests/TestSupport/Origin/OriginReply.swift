import KettleModel

/// The bytes of the response to one request, derived from a behavior; nothing is sent here.
struct OriginReply {
  enum Body {
    case file(SeededBody, Range<Int64>)
    case text([UInt8])
  }

  /// nil if not even a head is sent.
  var head: [UInt8]?
  var body: Body
  var framing: OriginBehavior.Framing
  var ending: OriginBehavior.Ending
  /// Bytes before and after those of the body.
  var prologue: [UInt8] = []
  var epilogue: [UInt8] = []
  var isLoginMissing = false

  init(to request: OriginRequest, by behavior: OriginBehavior) {
    switch behavior.answer {
    case .nothing(let cut):
      self.init(.text([]), behavior)
      ending = .cut(after: 0, cut)
    case .raw(let bytes):
      self.init(.text(bytes), behavior)
      framing = behavior.staysOpenBehindRaw ? .contentLength : .untilClose
    case .status, .file:
      if let login = behavior.login, !request.hasLogin(login, by: behavior.loginScheme) {
        self.init(
          401, text: "Who are you?", behavior,
          [("WWW-Authenticate", behavior.loginScheme.challenge)])
        isLoginMissing = true
      } else if case .status(let status, let text) = behavior.answer {
        self.init(status, text: text, behavior, [])
      } else {
        self.init(fileFor: request, behavior)
      }
    case .redirect(let status, let location):
      self.init(status, text: "", behavior, [("Location", location)])
    }
    if request.method == "HEAD" { body = .text([]) }
  }

  private init(_ body: Body, _ behavior: OriginBehavior) {
    self.body = body
    framing = behavior.framing
    ending = behavior.ending
  }

  var bodyByteCount: Int64 {
    switch body {
    case .file(_, let range): Int64(range.count)
    case .text(let bytes): Int64(bytes.count)
    }
  }

  /// Whether the connection ends after this response.
  var closesConnection: Bool {
    switch (framing, ending) {
    case (.contentLength, .whole), (.chunked, .whole): false
    default: true
    }
  }
}

// MARK: - Status and text

extension OriginReply {
  private init(
    _ status: Int, text: String, _ behavior: OriginBehavior, _ fields: [(String, String)]
  ) {
    self.init(.text(Array(text.utf8)), behavior)
    let type = text.isEmpty ? [] : [("Content-Type", "text/html")]
    head = makeHead(status, fields + type, behavior)
  }

  private func makeHead(
    _ status: Int, _ fields: [(String, String)], _ behavior: OriginBehavior
  ) -> [UInt8] {
    var lines = ["HTTP/1.1 \(status) Status"]
    if let date = behavior.date { lines.append("Date: " + date) }
    lines += fields.map { $0 + ": " + $1 }
    switch framing {
    case .contentLength:
      let byteCount = bodyByteCount + Int64(prologue.count + epilogue.count)
      lines.append("Content-Length: \(byteCount)")
    case .contentLengths(let values): lines += values.map { "Content-Length: " + $0 }
    case .untilClose, .chunkedUnannounced: lines.append("Connection: close")
    case .chunked, .chunkedWithoutEnd, .chunkedMalformed, .chunkScript:
      lines.append("Transfer-Encoding: chunked")
    }
    lines += behavior.headers.map { $0.name + ": " + $0.value }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}

// MARK: - Files and ranges

extension OriginReply {
  private init(fileFor request: OriginRequest, _ behavior: OriginBehavior) {
    let total = behavior.body.byteCount
    let tag = Self.entityTag(behavior, request)
    self.init(.file(behavior.body, 0..<total), behavior)
    var fields: [(String, String)] = []
    if let tag { fields.append(("ETag", tag)) }
    if let date = behavior.lastModified { fields.append(("Last-Modified", date)) }
    if behavior.ranges != .ignored { fields.append(("Accept-Ranges", "bytes")) }

    guard request.value(of: "Range") != nil, behavior.sendsRange(for: request, tag: tag) else {
      head = makeHead(200, fields, behavior)
      return
    }
    let asked = request.range(total: total)
    let isRefused = [.unsatisfiable, .unsatisfiableWithoutTotal].contains(behavior.ranges)
    guard let asked, !isRefused else {
      body = .text([])
      if behavior.ranges != .unsatisfiableWithoutTotal {
        fields.append(("Content-Range", "bytes */\(total)"))
      }
      head = makeHead(416, fields, behavior)
      return
    }
    setRange(asked, &fields, behavior)
    if case .partAsWhole = behavior.ranges {
      head = makeHead(200, fields, behavior)
    } else {
      head = makeHead(206, fields, behavior)
    }
  }

  private mutating func setRange(
    _ asked: Range<Int64>, _ fields: inout [(String, String)], _ behavior: OriginBehavior
  ) {
    let total = behavior.body.byteCount
    var sent = asked
    var label: String? = Self.label(asked, "\(total)")
    switch behavior.ranges {
    case .honoured, .ignored, .promisedAndIgnored, .unsatisfiable, .unsatisfiableWithoutTotal: break
    case .labeled(let text): label = text
    case .shifted(let count):
      sent = min(asked.lowerBound + count, total)..<min(asked.upperBound + count, total)
      label = Self.label(sent, "\(total)")
    case .shiftedInSecret(let count):
      sent = asked.lowerBound + count..<asked.upperBound + count
    case .withoutContentRange, .partAsWhole(withContentRange: false): label = nil
    case .partAsWhole(withContentRange: true): break
    case .shortened(let count):
      sent = asked.prefix(Int(clamping: count))
      label = Self.label(sent, "\(total)")
    case .totalUnknown: label = Self.label(asked, "*")
    case .totalWrong(let other): label = Self.label(asked, "\(other)")
    case .multipart:
      prologue = Array(
        "--cut\r\nContent-Range: \(Self.label(asked, "\(total)"))\r\n\r\n".utf8)
      epilogue = Array("\r\n--cut--\r\n".utf8)
      fields.append(("Content-Type", "multipart/byteranges; boundary=cut"))
      label = nil
    }
    body = .file(behavior.body, sent)
    if let label { fields.append(("Content-Range", label)) }
  }

  private static func label(_ range: Range<Int64>, _ total: String) -> String {
    "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
  }

  private static func entityTag(_ behavior: OriginBehavior, _ request: OriginRequest) -> String? {
    let made = "\(String(behavior.body.seed, radix: 16))-\(behavior.body.byteCount)"
    return switch behavior.entityTag {
    case .strong: "\"\(made)\""
    case .weak: "W/\"\(made)\""
    case .none: nil
    case .rotating: "\"\(made)-\(request.number)\""
    case .fixed(let tag): tag
    }
  }
}

extension OriginBehavior {
  /// RFC 9110, section 13.1.5: the range if the validator is strong and matches.
  fileprivate func sendsRange(for request: OriginRequest, tag: String?) -> Bool {
    if ranges == .ignored || ranges == .promisedAndIgnored { return false }
    guard let validator = request.value(of: "If-Range") else { return true }
    switch ifRange {
    case .ignored: return true
    case .alwaysWhole: return false
    case .honoured:
      if validator.hasPrefix("W/") { return false }
      return validator == tag || validator == lastModified
    }
  }
}
