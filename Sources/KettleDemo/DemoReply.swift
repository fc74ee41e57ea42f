import KettleSystem

/// The origin's reply to a request, determined by the request alone, without a connection.
package struct DemoReply: Hashable, Sendable {
  /// A status code of RFC 9110: 200, 206, 401, 404, 405 or 416.
  package var status: Int
  package var headers: [Header]
  /// What follows the head, or nil.
  package var body: Body?

  package struct Header: Hashable, Sendable {
    package var name: String
    package var value: String
  }

  package enum Body: Hashable, Sendable {
    /// A part of the file.
    case file(DemoItem, Range<Int64>)
    /// The first part of what the head promises; then the connection ends.
    case broken(DemoItem, Range<Int64>)
    case page(String)
  }

  package init(
    method: String, target: String, range: String?, ifRange: String?,
    authorization: String? = nil, catalogue: DemoCatalogue
  ) {
    guard method == "GET" || method == "HEAD" else {
      self.init(status: 405, headers: [("Allow", "GET, HEAD"), ("Content-Length", "0")])
      return
    }
    let path = String(target.prefix { $0 != "?" })
    if path == DemoCatalogue.checksumsPath {
      self.init(page: catalogue.checksums, type: "text/plain", method: method)
      return
    }
    guard let item = catalogue.item(at: path) else {
      self.init(status: 404, headers: [("Content-Length", "0")])
      return
    }
    switch item.conduct {
    case .missing: self.init(status: 404, headers: [("Content-Length", "0")])
    case .page: self.init(page: Self.page, type: "text/html", method: method)
    case .login where authorization != Self.authorization:
      self.init(
        status: 401,
        headers: [("WWW-Authenticate", "Basic realm=\"Tea Club\""), ("Content-Length", "0")])
    case .serves, .breaks, .login:
      self.init(sending: item, method: method, range: range, ifRange: ifRange)
    }
  }

  private init(
    sending item: DemoItem, method: String, range: String?, ifRange: String?
  ) {
    // A range is defined for GET only (RFC 9110, section 14.2).
    let asked = method == "GET" && Self.applies(ifRange, to: item) ? range : nil
    switch DemoRange(asked, byteCount: item.byteCount) {
    case .whole:
      self.init(
        status: 200,
        headers: Self.describing(item) + [("Content-Length", "\(item.byteCount)")])
      if method == "GET" { body = Self.body(of: item, 0..<item.byteCount) }
    case .part(let part):
      let contentRange = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(item.byteCount)"
      self.init(
        status: 206,
        headers: Self.describing(item) + [
          ("Content-Range", contentRange), ("Content-Length", "\(part.count)"),
        ])
      body = Self.body(of: item, part)
    case .unsatisfiable:
      self.init(
        status: 416,
        headers: [("Content-Range", "bytes */\(item.byteCount)"), ("Content-Length", "0")])
    }
  }

  private static let authorization = "Basic dGVhOnBvdA=="  // tea:pot

  private static let page = """
    <!doctype html><html><head><title>Choose a mirror</title></head>
    <body><p>A page of the Kettle demo, where a file was requested.</p></body></html>

    """

  private init(page: String, type: String, method: String) {
    self.init(
      status: 200,
      headers: [
        ("Content-Type", type + "; charset=utf-8"),
        ("Content-Length", String(page.utf8.count)),
      ])
    if method == "GET" { body = .page(page) }
  }

  private static func body(of item: DemoItem, _ range: Range<Int64>) -> Body {
    let middle = item.byteCount / 5 * 2
    guard item.conduct == .breaks, range.lowerBound == 0, range.upperBound > middle else {
      return .file(item, range)
    }
    return .broken(item, 0..<middle)
  }

  private init(status: Int, headers: [(String, String)]) {
    self.status = status
    self.headers = headers.map { Header(name: $0.0, value: $0.1) }
  }

  /// Returns the value of the header `name`; the comparison is case-sensitive.
  package func value(of name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  /// Returns whether the range applies, that is, whether the file is still the one that the client
  /// has. Both validators are strong, so equality is enough (RFC 9110, section 13.1.5).
  private static func applies(_ ifRange: String?, to item: DemoItem) -> Bool {
    guard let ifRange else { return true }
    return ifRange == item.entityTag || ifRange == DemoItem.lastModified
  }

  private static func describing(_ item: DemoItem) -> [(String, String)] {
    [
      ("Content-Type", item.contentType),
      ("Content-Disposition", "attachment; filename=\"\(item.fileName)\""),
      ("Accept-Ranges", "bytes"),
      ("ETag", item.entityTag),
      ("Last-Modified", DemoItem.lastModified),
    ]
  }
}

extension DemoItem {
  /// The files never change, so any date in the past will do.
  package static let lastModified = "Thu, 01 Jan 2026 00:00:00 GMT"

  /// A strong tag: equal tags mean equal bytes, because name, title and length determine the bytes.
  package var entityTag: String {
    let text = fileName + "\n" + title + "\n" + String(byteCount)
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3
    }
    return "\"" + String(hash, radix: 16) + "\""
  }

  package var contentType: String {
    fileName.hasSuffix(".pdf") ? "application/pdf" : "application/octet-stream"
  }
}

/// The meaning of a `Range` header for a file of known length (RFC 9110, section 14.1.2).
package enum DemoRange: Hashable, Sendable {
  /// No range, several ranges, or an invalid one: a server may reply with the whole file.
  case whole
  case part(Range<Int64>)
  /// The range contains no byte of the file.
  case unsatisfiable

  package init(_ header: String?, byteCount: Int64) {
    guard let header, header.lowercased().hasPrefix("bytes=") else {
      self = .whole
      return
    }
    let parts = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      self = .whole
      return
    }
    switch (Self.position(parts[0]), Self.position(parts[1])) {
    case (.number(let first), .number(let last)) where first <= last:
      self = Self.part(from: first, to: last < byteCount ? last + 1 : byteCount)
    case (.number(let first), .absent):
      self = Self.part(from: first, to: byteCount)
    case (.absent, .number(let suffix)):
      self = Self.part(from: byteCount - min(suffix, byteCount), to: byteCount)
    case (.number, .number), (.absent, .absent), (.unreadable, _), (_, .unreadable):
      self = .whole
    }
  }

  private static func part(from lower: Int64, to upper: Int64) -> DemoRange {
    lower < upper ? .part(lower..<upper) : .unsatisfiable
  }

  private enum Position {
    case absent, unreadable
    case number(Int64)
  }

  /// A number that does not fit into 64 bits is past the end of any file.
  private static func position(_ text: Substring) -> Position {
    if text.isEmpty { return .absent }
    guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { return .unreadable }
    return .number(Int64(text) ?? .max)
  }
}

/// One request as the origin received it.
package struct DemoRequest: Hashable, Sendable {
  package var method: String
  package var path: String
  package var range: String?
  package var ifRange: String?
  package var status: Int
  /// The body bytes passed to the socket so far; it has accepted all but at most one piece.
  package var bytesSent: Int64 = 0
}

/// The most recent requests, in order. Written on the event loop, readable from any thread.
final class DemoRequestLog: Sendable {
  /// The log of a demo that runs for days must not grow.
  static let countMax = 10_000

  private struct State {
    var requests: [DemoRequest] = []
    var droppedCount = 0
  }

  private let state = Mutex(State())

  var requests: [DemoRequest] { state.withLock { $0.requests } }

  /// Returns the number that identifies the request from now on.
  func append(_ request: DemoRequest) -> Int {
    state.withLock { state in
      if state.requests.count == Self.countMax {
        state.requests.removeFirst(Self.countMax / 2)
        state.droppedCount += Self.countMax / 2
      }
      state.requests.append(request)
      return state.droppedCount + state.requests.count - 1
    }
  }

  func sent(_ byteCount: Int, of number: Int) {
    state.withLock { state in
      let index = number - state.droppedCount
      guard state.requests.indices.contains(index) else { return }
      state.requests[index].bytesSent += Int64(byteCount)
    }
  }
}
