import KettleModel

/// The response of an object store. Its body is small.
struct StoreReply: Hashable, Sendable {
  var head: ResponseHead
  var body: [UInt8] = []
}

/// What a response means.
enum StoreVerdict: Hashable, Sendable {
  case done(StoreDocument)
  case notFound
  /// The condition that no object has the key is not met.
  case taken
  /// The store does not know the upload.
  case uploadGone(TransferFailure)
  /// The same request may succeed later.
  case again(TransferFailure, StoreStrain)
  /// Temporary keys are over.
  case keysExpired(TransferFailure)
  /// The bucket is in this region.
  case otherRegion(String, TransferFailure)
  case refused(TransferFailure)
}

/// Whether a store asks for fewer requests.
enum StoreStrain: Hashable, Sendable {
  case usual
  case overloaded
}

/// The texts of a document of an object store, by the names of their elements.
struct StoreDocument: Hashable, Sendable {
  /// The name of the root; empty without a document.
  var root = ""
  /// The texts of the elements directly below the root.
  var values: [String: String] = [:]
  var parts: [StoredPart] = []

  /// Parses an XML document. A body that is not XML leaves every property empty. Namespaces are
  /// ignored.
  init(_ bytes: [UInt8]) {
    var reader = XMLReader(bytes)
    var path: [String] = []
    var text = ""
    var part: [String: String] = [:]
    while let event = try? reader.next() {
      switch event {
      case .start(let element):
        if path.isEmpty { root = element.name }
        path.append(element.name)
        text = ""
      case .text(let piece): text += piece
      case .end:
        switch path.dropFirst() {
        case ["Part"]:
          if let read = StoredPart(part) { parts.append(read) }
          part = [:]
        case let below where below.count == 1: values[below.first ?? ""] = text
        case let below where below.first == "Part": part[below.last ?? ""] = text
        default: break
        }
        path.removeLast()
        text = ""
      }
    }
  }

  func value(_ name: String) -> String? {
    values[name].map { $0.trimmingBlanks() }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension StoredPart {
  /// A part of a list; nil if something is missing.
  fileprivate init?(_ values: [String: String]) {
    guard let number = values["PartNumber"].flatMap({ Int($0.trimmingBlanks()) }), number > 0,
      let byteCount = values["Size"].flatMap({ DecimalDigits.int64($0.trimmingBlanks()[...]) }),
      let entityTag = values["ETag"], !entityTag.isEmpty
    else { return nil }
    self.init(
      number: number, byteCount: byteCount, entityTag: entityTag,
      sha256: values["ChecksumSHA256"]?.trimmingBlanks())
  }
}

extension StoreReply {
  /// - Parameters:
  ///   - object: the `s3://` URL, for failures.
  ///   - region: for which the request was signed; nil for one that was not.
  func verdict(on object: String, region: String?) -> StoreVerdict {
    let document = StoreDocument(body)
    let isError = document.root == "Error"
    // The completion of an upload begins with 200 before the store knows how it ends.
    if (200...299).contains(head.status), !isError { return .done(document) }
    let code = document.value("Code")
    func failure(_ kind: TransferFailure.Code) -> TransferFailure {
      let words = [
        isError && head.status < 300 ? nil : String(head.status), code, document.value("Message"),
      ]
      return TransferFailure(
        kind, on: object,
        detail: words.compactMap { $0 }.joined(separator: " ").sanitizedForDisplay(limit: 300))
    }
    if let named = head.value(of: "x-amz-bucket-region") ?? document.value("Region"),
      let region, named != region, [301, 307, 400].contains(head.status)
    {
      return .otherRegion(named, failure(.storeRefused))
    }
    switch code ?? "" {
    case "NoSuchUpload": return .uploadGone(failure(.uploadGone))
    case "PreconditionFailed": return .taken
    case "ExpiredToken", "TokenRefreshRequired", "InvalidToken":
      return .keysExpired(failure(.storeRefused))
    case "SlowDown", "ServiceUnavailable", "Throttling", "TooManyRequests":
      return .again(failure(.storeUnavailable), .overloaded)
    // Bytes that were damaged on the way, and parts that the store does not have as it said.
    case "BadDigest", "XAmzContentSHA256Mismatch", "IncompleteBody", "RequestTimeout",
      "InvalidPart", "ConditionalRequestConflict", "OperationAborted", "InternalError":
      return .again(failure(.storeUnavailable), .usual)
    default: return verdictOnStatus(failure)
    }
  }

  private func verdictOnStatus(
    _ failure: (TransferFailure.Code) -> TransferFailure
  ) -> StoreVerdict {
    switch head.status {
    case 404 where body.isEmpty: .notFound
    case 412: .taken
    case 429, 503: .again(failure(.storeUnavailable), .overloaded)
    case 408, 409, 500, 502...599: .again(failure(.storeUnavailable), .usual)
    default: .refused(failure(.storeRefused))
    }
  }
}
