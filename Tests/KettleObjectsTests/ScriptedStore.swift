import Dispatch
import KettleEngine
import KettleModel
import KettleSystem
import TestSupport

/// An object store that lies as the test says, and the files that are sent to it. It keeps the
/// protocol of S3 as far as Kettle speaks it, and refuses bodies that do not have their digest.
final class ScriptedStore: Transport {
  enum Kind: Hashable, Sendable {
    case head, put, create, part, list, complete, abort, keys
  }

  enum Fault: Sendable {
    /// Refuses with an error document.
    case refusal(Int, String, String = "<Message>no</Message>")
    /// Does it, and the answer is lost.
    case lostAnswer
    /// Does nothing, and the connection is lost.
    case lostRequest
    /// Begins with 200 and ends with an error.
    case errorInSuccess(String)
    /// Does it with other bytes, or lists other ones, without saying so.
    case lie
  }

  struct Object: Hashable, Sendable {
    var bytes: [UInt8]
    var mark: String
  }

  private struct Upload: Sendable {
    var key: String
    var mark: String
    var hasChecksums: Bool
    var parts: [Int: [UInt8]] = [:]
  }

  private struct State: Sendable {
    var objects: [String: Object] = [:]
    var uploads: [String: Upload] = [:]
    var lastUpload = 0
    var faults: [Kind: [Fault]] = [:]
    var requests: [(kind: Kind, request: AttemptRequest)] = []
    var replies: [AttemptID: (reply: [UInt8], end: AttemptEnd)] = [:]
    var sinks: [AttemptID: any ByteSink] = [:]
    var files: [String: [UInt8]] = [:]
    var partsUnderWay = 0
    var partsUnderWayMax = 0
    var pageCount = 1000
    var keepsChecksums = true
    var heedsConditions = true
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "store", attributes: .concurrent)
  private let events = Mutex<(@Sendable (TransportEvent) -> Void)?>(nil)

  func connect(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
    events.withLock { $0 = receive }
  }

  // MARK: What the test says and sees

  func fail(_ kind: Kind, _ faults: Fault...) {
    state.withLock { $0.faults[kind, default: []] += faults }
  }

  func put(_ bytes: [UInt8], at key: String, mark: String = "other") {
    state.withLock { $0.objects[key] = Object(bytes: bytes, mark: mark) }
  }

  func remove(_ key: String) { state.withLock { $0.objects[key] = nil } }
  func write(_ bytes: [UInt8], to path: String) { state.withLock { $0.files[path] = bytes } }
  func setPageCount(_ count: Int) { state.withLock { $0.pageCount = count } }
  func keepNoChecksums() { state.withLock { $0.keepsChecksums = false } }
  func ignoreConditions() { state.withLock { $0.heedsConditions = false } }
  func forgetUploads() { state.withLock { $0.uploads = [:] } }

  var objects: [String: Object] { state.withLock { $0.objects } }
  var uploadIDs: [String] { state.withLock { $0.uploads.keys.sorted() } }
  var partsUnderWayMax: Int { state.withLock { $0.partsUnderWayMax } }
  func count(_ kind: Kind) -> Int { requests(kind).count }

  func requests(_ kind: Kind) -> [AttemptRequest] {
    state.withLock { $0.requests.filter { $0.kind == kind }.map(\.request) }
  }

  func digest(_ path: String, _ range: ByteRange) throws(TransferFailure) -> [UInt8] {
    guard let bytes = state.withLock({ $0.files[path] }), range.upper <= Int64(bytes.count) else {
      throw TransferFailure(.partialFileChanged, on: path)
    }
    return Self.digest(Array(bytes[Int(range.lower)..<Int(range.upper)]))
  }

  static func digest(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array((TestDigest.hex(of: bytes, .sha256) ?? "").utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
    }
  }

  // MARK: The transport

  func begin(_ request: AttemptRequest) {
    let kind = Self.kind(of: request)
    state.withLock { state in
      state.requests.append((kind, request))
      if kind == .part {
        state.partsUnderWay += 1
        state.partsUnderWayMax = max(state.partsUnderWayMax, state.partsUnderWay)
      }
    }
    queue.async { self.answer(request, kind) }
  }

  func accept(_ attempt: AttemptID, into sink: any ByteSink) {
    state.withLock { $0.sinks[attempt] = sink }
  }

  func resumeReceiving(_ attempt: AttemptID) {}
  func cancel(_ attempt: AttemptID) {}
  func limit(_ transfer: TransferID, toBytesPerSecond limit: Int64?) {}
  func limitAll(toBytesPerSecond limit: Int64?) {}
  func shutDown() {}

  private func answer(_ request: AttemptRequest, _ kind: Kind) {
    let tell = events.withLock { $0 }
    let (fault, reply) = state.withLock { state -> (Fault?, StoreAnswer?) in
      if kind == .part { state.partsUnderWay -= 1 }
      let fault = state.faults[kind]?.first
      if fault != nil { state.faults[kind]?.removeFirst() }
      switch fault {
      case .refusal(let status, let code, let more)?:
        return (fault, .error(status, code, more))
      case .lostRequest?: return (fault, nil)
      case .errorInSuccess(let code)?: return (fault, .error(200, code))
      case .lie?, .lostAnswer?, nil:
        return (fault, Self.reply(to: request, kind, &state, lies: fault?.isLie == true))
      }
    }
    guard let reply, fault?.losesAnswer != true else {
      let lost = TransferFailure(.connectionLost, on: request.url.host)
      tell?(.ended(request.id, .failed(lost)))
      return
    }
    let head = ResponseHead(
      status: reply.status,
      headers: reply.headers.map { HeaderField(received: $0.key, $0.value) })
    tell?(.headReceived(request.id, head, from: .world, after: nil))
    let sink = state.withLock { $0.sinks.removeValue(forKey: request.id) }
    if kind != .head { _ = reply.body.withUnsafeBytes { sink?.receive($0) } }
    tell?(.ended(request.id, .complete))
  }

  private static func kind(of request: AttemptRequest) -> Kind {
    let query = request.url.query ?? ""
    if request.url.host == "keys.example" { return .keys }
    return switch request.content?.method {
    case "HEAD": .head
    case "PUT": query.contains("partNumber") ? .part : .put
    case "POST": query.contains("uploads=") ? .create : .complete
    case "DELETE": .abort
    default: .list
    }
  }

  // MARK: The store

  private static func reply(
    to request: AttemptRequest, _ kind: Kind, _ state: inout State, lies: Bool
  ) -> StoreAnswer {
    if request.url.host != "keys.example", request.login?.user == "OLD" {
      return .error(403, "ExpiredToken")
    }
    let key = String(request.url.path.dropFirst("/data/".count))
    let sent = bytes(of: request, in: state)
    if let body = sent, let said = header("x-amz-content-sha256", request),
      said != digest(body).hexadecimal
    {
      return .error(400, "XAmzContentSHA256Mismatch")
    }
    switch kind {
    case .keys:
      return StoreAnswer(
        200, [:], "{\"AccessKeyId\":\"KEY\",\"SecretAccessKey\":\"s\",\"Token\":\"t\"}")
    case .head:
      guard let object = state.objects[key] else { return StoreAnswer(404) }
      return StoreAnswer(
        200,
        [
          "Content-Length": "\(object.bytes.count)",
          "x-amz-meta-kettle": lies ? "" : object.mark,
          "ETag": "\"e\"",
        ])
    case .put: return put(sent ?? [], at: key, request, &state)
    case .create: return create(key, request, &state)
    case .part: return storePart(sent ?? [], request, &state, lies: lies)
    case .list: return list(request, state, lies: lies)
    case .complete: return complete(key, sent ?? [], request, &state)
    case .abort:
      let id = value("uploadId", request)
      guard state.uploads[id] != nil else { return .error(404, "NoSuchUpload") }
      if !lies { state.uploads[id] = nil }
      return StoreAnswer(204)
    }
  }

  private static func isTaken(_ key: String, _ request: AttemptRequest, _ state: State) -> Bool {
    state.heedsConditions && header("If-None-Match", request) == "*" && state.objects[key] != nil
  }

  private static func put(
    _ bytes: [UInt8], at key: String, _ request: AttemptRequest, _ state: inout State
  ) -> StoreAnswer {
    if isTaken(key, request, state) { return .error(412, "PreconditionFailed") }
    state.objects[key] = Object(bytes: bytes, mark: header("x-amz-meta-kettle", request) ?? "")
    return StoreAnswer(200, ["ETag": "\"e\""])
  }

  private static func create(
    _ key: String, _ request: AttemptRequest, _ state: inout State
  ) -> StoreAnswer {
    let wantsChecksums = header("x-amz-checksum-algorithm", request) != nil
    if wantsChecksums, !state.keepsChecksums { return .error(501, "NotImplemented") }
    state.lastUpload += 1
    let id = "u\(state.lastUpload)"
    state.uploads[id] = Upload(
      key: key, mark: header("x-amz-meta-kettle", request) ?? "", hasChecksums: wantsChecksums)
    return StoreAnswer(
      200, [:],
      "<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        + "<UploadId>\(id)</UploadId></InitiateMultipartUploadResult>")
  }

  private static func storePart(
    _ bytes: [UInt8], _ request: AttemptRequest, _ state: inout State, lies: Bool
  ) -> StoreAnswer {
    guard let number = Int(value("partNumber", request)),
      state.uploads[value("uploadId", request)] != nil
    else { return .error(404, "NoSuchUpload") }
    let kept = lies ? bytes.map { $0 ^ 1 } : bytes
    state.uploads[value("uploadId", request)]?.parts[number] = kept
    return StoreAnswer(200, ["ETag": "\"p\(number)\""])
  }

  private static func list(
    _ request: AttemptRequest, _ state: State, lies: Bool
  ) -> StoreAnswer {
    guard let upload = state.uploads[value("uploadId", request)] else {
      return .error(404, "NoSuchUpload")
    }
    let marker = Int(value("part-number-marker", request)) ?? 0
    let left = upload.parts.keys.sorted().filter { $0 > marker }
    let page = left.prefix(state.pageCount)
    let listed = page.map { number -> String in
      let bytes = upload.parts[number] ?? []
      let sum = Base64Bytes(digest(bytes)).text
      return "<Part><PartNumber>\(number)</PartNumber><ETag>&quot;p\(number)&quot;</ETag>"
        + "<Size>\(bytes.count + (lies ? 1 : 0))</Size>"
        + (upload.hasChecksums ? "<ChecksumSHA256>\(sum)</ChecksumSHA256>" : "") + "</Part>"
    }
    return StoreAnswer(
      200, [:],
      "<ListPartsResult><IsTruncated>\(left.count > page.count)</IsTruncated>"
        + listed.joined() + "</ListPartsResult>")
  }

  private static func complete(
    _ key: String, _ document: [UInt8], _ request: AttemptRequest, _ state: inout State
  ) -> StoreAnswer {
    guard let upload = state.uploads[value("uploadId", request)] else {
      return .error(404, "NoSuchUpload")
    }
    if isTaken(key, request, state) { return .error(412, "PreconditionFailed") }
    let numbers = upload.parts.keys.sorted()
    let text = String(decoding: document, as: UTF8.self)
    guard numbers.allSatisfy({ text.contains("<ETag>\"p\($0)\"</ETag>") }),
      text.contains("<PartNumber>\(numbers.count)</PartNumber>")
    else { return .error(400, "InvalidPart") }
    state.uploads[value("uploadId", request)] = nil
    state.objects[key] = Object(
      bytes: numbers.flatMap { upload.parts[$0] ?? [] }, mark: upload.mark)
    return StoreAnswer(
      200, [:],
      "<CompleteMultipartUploadResult><ETag>\"e-2\"</ETag></CompleteMultipartUploadResult>")
  }

  // MARK: Requests

  private static func header(_ name: String, _ request: AttemptRequest) -> String? {
    request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  private static func value(_ name: String, _ request: AttemptRequest) -> String {
    let pairs = (request.url.query ?? "").split(separator: "&")
    let pair = pairs.first { $0.hasPrefix(name + "=") }
    return pair.map { String($0.dropFirst(name.utf8.count + 1)) } ?? ""
  }

  private static func bytes(of request: AttemptRequest, in state: State) -> [UInt8]? {
    switch request.content?.body {
    case .bytes(let bytes)?: return bytes.bytes
    case .file(let path, _)?:
      guard let file = state.files[path], let rest = request.content?.rest else { return nil }
      let lower = Int(rest.offset)
      return Array(file[lower..<lower + Int(rest.byteCount ?? Int64(file.count - lower))])
    case nil: return nil
    }
  }
}

struct StoreAnswer {
  var status: Int
  var headers: [String: String]
  var body: [UInt8]

  init(_ status: Int, _ headers: [String: String] = [:], _ body: String = "") {
    self.status = status
    self.headers = headers
    self.body = Array(body.utf8)
  }

  static func error(
    _ status: Int, _ code: String, _ more: String = "<Message>no</Message>"
  ) -> StoreAnswer {
    StoreAnswer(status, [:], "<Error><Code>\(code)</Code>\(more)</Error>")
  }
}

extension ScriptedStore.Fault {
  fileprivate var isLie: Bool { if case .lie = self { true } else { false } }

  fileprivate var losesAnswer: Bool { if case .lostAnswer = self { true } else { false } }
}
