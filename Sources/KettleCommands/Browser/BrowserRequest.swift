import KettleControl
import KettleDashboard
import KettleModel
import KettleRPC

/// A request of the WebExtension: `{"id": 1, "method": "add", …}`.
struct BrowserRequest: Sendable {
  enum Call: Hashable, Sendable {
    /// Asks for the version of this program.
    case hello
    case add(BrowserDownload)
    /// Asks for the transfers that run and those that ended last.
    case list
    /// Starts, pauses or removes one transfer.
    case control(ControlVerb, TransferID)
    /// Starts one that the browser has given up, or gives its link to the one that waits for it.
    case begin(TransferID)
  }

  enum Problem: Error, Hashable, Sendable {
    case notJSON
    case unknownMethod(String)
    /// The property is missing or has another type.
    case property(String)
    case url(String, TransferURLProblem)
  }

  /// Repeated in the reply; null if the request has none.
  let id: RPCValue
  let call: Result<Call, Problem>

  init(_ message: [UInt8]) {
    guard let object = (try? JSONReader.value(message))?.object else {
      self.init(id: .null, call: .failure(.notJSON))
      return
    }
    do throws(Problem) {
      self.init(id: Self.id(of: object), call: .success(try Self.call(object)))
    } catch {
      self.init(id: Self.id(of: object), call: .failure(error))
    }
  }

  private init(id: RPCValue, call: Result<Call, Problem>) {
    self.id = id
    self.call = call
  }

  /// A number or a short text; anything else would be repeated at any length.
  private static func id(of object: [String: RPCValue]) -> RPCValue {
    switch object["id"] {
    case .integer(let number): .integer(number)
    case .text(let text) where text.utf8.count <= 64: .text(text)
    case nil, .null, .boolean, .real, .text, .list, .object: .null
    }
  }

  private static func call(_ object: [String: RPCValue]) throws(Problem) -> Call {
    guard let method = object["method"]?.text else { throw .property("method") }
    switch method {
    case "hello": return .hello
    case "list": return .list
    case "add":
      guard let download = object["download"]?.object else { throw .property("download") }
      return .add(try BrowserDownload(download))
    case "start": return .control(.start, try transferID(object))
    case "pause": return .control(.pause, try transferID(object))
    case "remove": return .control(.remove, try transferID(object))
    case "begin": return .begin(try transferID(object))
    default: throw .unknownMethod(method)
    }
  }

  private static func transferID(_ object: [String: RPCValue]) throws(Problem) -> TransferID {
    guard case .integer(let number) = object["transfer"] else { throw .property("transfer") }
    return TransferID(rawValue: number)
  }
}

/// A reply to the WebExtension: `{"id": 1, "result": …}`, or `error` with a sentence for people.
enum BrowserReply {
  static func result(_ value: RPCValue, id: RPCValue) -> RPCValue {
    ["id": id, "result": value]
  }

  static func error(_ sentence: String, id: RPCValue) -> RPCValue {
    ["id": id, "error": .text(sentence)]
  }

  static var hello: RPCValue { ["version": .text(ProductVersion.text)] }

  static func added(_ id: TransferID) -> RPCValue { ["transfer": .integer(id.rawValue)] }

  /// The transfer that has the link, with its title if it is one that waited for it.
  static func begun(_ result: BeginTransfer.Result) -> RPCValue {
    var object: [String: RPCValue] = ["transfer": .integer(result.id.rawValue)]
    if let title = result.continued {
      object["continued"] = .text(title.sanitizedForDisplay(limit: characterCountMax))
    }
    return .object(object)
  }

  /// The list of a service; nil without one.
  static func list(_ list: BrowserList?) -> RPCValue {
    guard let list else { return ["isRunning": .boolean(false), "rows": []] }
    return [
      "isRunning": .boolean(true),
      "rows": .list(list.rows.map(row)),
      "unfinishedCount": .integer(Int64(list.unfinishedCount)),
      "bytesPerSecond": .integer(list.bytesPerSecond),
    ]
  }

  /// Longer texts are cut.
  private static let characterCountMax = 300

  private static func row(_ row: TransferSnapshot) -> RPCValue {
    var object: [String: RPCValue] = [
      "transfer": .integer(row.id.rawValue),
      "title": .text(row.shownTitle.sanitizedForDisplay(limit: characterCountMax)),
      "host": .text(String(row.host).sanitizedForDisplay(limit: characterCountMax)),
      "state": .text(row.state.rawValue),
      "bytesReceived": .integer(row.bytesReceived),
      "bytesExpected": row.bytesExpected.map(RPCValue.integer) ?? .null,
      "bytesPerSecond": .integer(row.bytesPerSecond),
      "secondsLeft": row.secondsLeft.map(RPCValue.integer) ?? .null,
    ]
    if let note = note(on: row) {
      object["note"] = .text(note.sanitizedForDisplay(limit: characterCountMax))
    }
    return .object(object)
  }

  /// Why it does not move, or why it failed. The word for a paused one says enough.
  private static func note(on row: TransferSnapshot) -> String? {
    switch row.state {
    case .failed: row.error?.sentence
    case .paused, .idle, .scheduled, .completed, .verifying: nil
    case .running, .queued, .waiting: row.obstacle()
    }
  }
}

/// What the WebExtension shows of the list.
struct BrowserList: Sendable {
  /// Unfinished transfers in work order, then those that ended last.
  var rows: [TransferSnapshot]
  var unfinishedCount: Int
  var bytesPerSecond: Int64

  static let unfinishedCountMax = 20
  static let endedCountMax = 10
}

/// A download that the browser hands over, with what its server has to see.
///
/// What the browser sends may originate from a web page. It chooses the URL and one name, and
/// neither a directory nor an option.
struct BrowserDownload: Hashable, Sendable {
  let spec: TransferSpec

  /// Throws if there is no URL to download. Leaves out what cannot be used otherwise: the server
  /// then decides about the name, and about a request without the header.
  init(_ object: [String: RPCValue]) throws(BrowserRequest.Problem) {
    guard let text = object["url"]?.text else { throw .property("url") }
    let parsed: TransferURL.Parsed
    switch TransferURL.parse(text) {
    case .success(let success): parsed = success
    case .failure(let problem): throw .url(text, problem)
    }
    var spec = TransferSpec(url: parsed.url)
    spec.login = parsed.login
    spec.name = object["name"]?.text.flatMap { FileName(foreign: $0) }
    if object["isPaused"] == .boolean(true) { spec.beginning = .paused }
    if parsed.url.scheme.family == .http {
      spec.headers = [
        object["referrer"]?.text.flatMap(Self.referrer),
        object["userAgent"]?.text.flatMap(Self.userAgent),
      ].compactMap(\.self)
      let cookies = object["cookies"]?.list ?? []
      spec.options.cookies = Array(
        cookies.lazy.compactMap(\.object).compactMap(Self.cookie)
          .prefix(TransferOptions.cookieCountMax))
      spec.options.page = object["page"]?.text.flatMap { Self.page($0, object["byteCount"]) }
    }
    self.spec = spec
  }

  /// Without the login and the fragment, which are never sent (RFC 9110, section 10.1.3).
  private static func referrer(_ text: String) -> HeaderField? {
    guard case .success(let page) = TransferURL.parse(text), page.url.scheme.family == .http else {
      return nil
    }
    return HeaderField(name: "Referer", value: page.url.text)
  }

  /// Without the login and the fragment, so that neither is kept or shown.
  private static func page(_ text: String, _ size: RPCValue?) -> DownloadPage? {
    guard case .success(let page) = TransferURL.parse(text), page.url.scheme.family == .http else {
      return nil
    }
    guard case .integer(let byteCount) = size, byteCount > 0 else { return DownloadPage(page.url) }
    return DownloadPage(page.url, byteCount: byteCount)
  }

  private static let userAgentByteCountMax = 1024

  private static func userAgent(_ text: String) -> HeaderField? {
    guard !text.isEmpty, text.utf8.count <= userAgentByteCountMax else { return nil }
    return HeaderField(name: "User-Agent", value: text)
  }

  /// Reads a cookie as the browsers' `cookies.Cookie`.
  private static func cookie(_ object: [String: RPCValue]) -> Cookie? {
    guard let name = object["name"]?.text, let value = object["value"]?.text,
      var domain = object["domain"]?.text?.lowercased()
    else { return nil }
    if domain.hasPrefix(".") { domain.removeFirst() }
    guard !domain.isEmpty else { return nil }
    let path = object["path"]?.text ?? "/"
    let cookie = Cookie(
      name: name, value: value, domain: domain,
      includesSubdomains: object["hostOnly"] == .boolean(false),
      path: path.hasPrefix("/") ? path : "/", isSecure: object["secure"] != .boolean(false))
    return cookie.isUsable ? cookie : nil
  }
}
