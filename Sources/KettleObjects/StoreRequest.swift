import KettleEngine
import KettleModel

/// A request to an object store, by the protocol of S3
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations.html).
struct StoreRequest: Hashable, Sendable {
  enum Body: Hashable, Sendable {
    case none
    case bytes([UInt8])
    case file(FilePart)
  }

  /// A part of a file that must not change meanwhile.
  struct FilePart: Hashable, Sendable {
    var path: String
    var fileByteCount: Int64
    var modifiedNanoseconds: Int64
    var lower: Int64
    var upper: Int64
    /// Of the part.
    var sha256: [UInt8]

    init(of file: FileToStore, lower: Int64, upper: Int64, sha256: [UInt8]) {
      path = file.path
      fileByteCount = file.byteCount
      modifiedNanoseconds = file.modifiedNanoseconds
      self.lower = lower
      self.upper = upper
      self.sha256 = sha256
    }
  }

  var method: String
  /// nil for a request to the bucket.
  var key: String?
  /// Names and values, sorted by name as a signature requires. A name without a value has an empty
  /// one: libcurl signs `uploads=` rightly, and `uploads` not.
  var query: [(name: String, value: String)] = []
  var headers: [HeaderField] = []
  var body = Body.none
  /// The longest body of a response.
  var replyByteCountMax = 1 << 20

  init(_ method: String, _ key: String?, query: [(name: String, value: String)] = []) {
    self.method = method
    self.key = key
    self.query = query.sorted { $0.name < $1.name }
  }

  static func == (left: StoreRequest, right: StoreRequest) -> Bool {
    left.method == right.method && left.key == right.key && left.headers == right.headers
      && left.body == right.body && left.queryText == right.queryText
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(method)
    hasher.combine(key)
    hasher.combine(queryText)
  }

  private var queryText: String {
    query.map {
      PercentEncoding.encoded(component: $0.name) + "="
        + PercentEncoding.encoded(component: $0.value)
    }.joined(separator: "&")
  }

  /// Returns the URL in a bucket; nil if the key cannot be part of one.
  func url(in bucket: TransferURL) -> TransferURL? {
    let path = key.map { PercentEncoding.encoded(path: $0) } ?? ""
    return bucket.below(query.isEmpty ? path : path + "?" + queryText)
  }

  private mutating func add(_ name: String, _ value: String) {
    if let field = HeaderField(name: name, value: value) { headers.append(field) }
  }

  /// Refuses to replace an object
  /// (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
  private mutating func createOnly(_ policy: ConflictPolicy) {
    switch policy {
    case .rename, .skip: add("If-None-Match", "*")
    case .replace: break
    }
  }

  private mutating func describe(mediaType: String?, mark: String) {
    add("Content-Type", mediaType ?? "application/octet-stream")
    add(Self.markName, mark)
  }

  /// By which Kettle recognizes its object: metadata with the mark of the upload, or for a whole
  /// file its digest.
  static let markName = "x-amz-meta-kettle"
  private static let digestName = "x-amz-content-sha256"
  private static let checksumName = "x-amz-checksum-sha256"
  private static let algorithmName = "x-amz-checksum-algorithm"

  // MARK: Requests

  static func head(_ key: String) -> StoreRequest { StoreRequest("HEAD", key) }

  /// Stores a small file in one request.
  static func put(
    _ part: FilePart, at key: String, _ policy: ConflictPolicy, mediaType: String?, mark: String
  ) -> StoreRequest {
    var request = StoreRequest("PUT", key)
    request.describe(mediaType: mediaType, mark: mark)
    request.createOnly(policy)
    request.add(digestName, part.sha256.hexadecimal)
    request.body = .file(part)
    return request
  }

  /// Creates an empty object.
  static func probe(_ key: String) -> StoreRequest {
    var request = StoreRequest("PUT", key)
    request.add("Content-Type", "application/octet-stream")
    request.createOnly(.skip)
    request.body = .bytes([])
    return request
  }

  /// - Parameter hasChecksums: whether the store keeps the SHA-256 of each part.
  static func create(
    _ key: String, mark: String, mediaType: String?, hasChecksums: Bool
  ) -> StoreRequest {
    var request = StoreRequest("POST", key, query: [("uploads", "")])
    request.describe(mediaType: mediaType, mark: mark)
    if hasChecksums { request.add(algorithmName, "SHA256") }
    return request
  }

  /// - Parameter number: from 1.
  static func part(_ number: Int, of upload: ObjectUpload, _ part: FilePart) -> StoreRequest {
    var request = StoreRequest(
      "PUT", upload.key,
      query: [("partNumber", String(number)), ("uploadId", upload.uploadID)])
    request.add(digestName, part.sha256.hexadecimal)
    if upload.hasChecksums { request.add(checksumName, Base64Bytes(part.sha256).text) }
    request.body = .file(part)
    return request
  }

  /// - Parameter marker: the number of the last part that is known; 0 for the first page.
  static func list(_ upload: ObjectUpload, after marker: Int) -> StoreRequest {
    var query = [(name: "uploadId", value: upload.uploadID)]
    if marker > 0 { query.append(("part-number-marker", String(marker))) }
    return StoreRequest("GET", upload.key, query: query)
  }

  static func complete(
    _ upload: ObjectUpload, _ parts: [StoredPart], onConflict policy: ConflictPolicy
  ) -> StoreRequest {
    var request = StoreRequest("POST", upload.key, query: [("uploadId", upload.uploadID)])
    request.createOnly(policy)
    request.add("Content-Type", "application/xml")
    let listed = parts.map { part in
      let sum = part.sha256.map { "<ChecksumSHA256>\($0)</ChecksumSHA256>" } ?? ""
      return "<Part><PartNumber>\(part.number)</PartNumber>"
        + "<ETag>\(part.entityTag.escapedForXML)</ETag>\(sum)</Part>"
    }
    request.body = .bytes(
      Array(
        ("<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
          + listed.joined() + "</CompleteMultipartUpload>").utf8))
    return request
  }

  static func abort(_ upload: ObjectUpload) -> StoreRequest {
    StoreRequest("DELETE", upload.key, query: [("uploadId", upload.uploadID)])
  }
}

/// A part that an object store has.
struct StoredPart: Hashable, Sendable {
  /// From 1.
  var number: Int
  var byteCount: Int64
  /// With its quotes.
  var entityTag: String
  /// In Base64; nil if the store keeps no digests.
  var sha256: String?
}

extension String {
  fileprivate var escapedForXML: String {
    reduce(into: "") { text, character in
      switch character {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      default: text.append(character)
      }
    }
  }
}
