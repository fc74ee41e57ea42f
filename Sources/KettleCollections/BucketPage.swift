import KettleModel

/// A page of the list of a bucket
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
struct BucketPage: Hashable, Sendable {
  struct Object: Hashable, Sendable {
    /// nil if it is not text.
    var key: String?
    var byteCount: Int64?
    var etag: String?
  }

  private(set) var objects: [Object] = []
  /// With which the next page is requested; nil for the last one.
  private(set) var token: String?

  /// Reads a page; throws what is wrong with it, and what the service says instead of one.
  static func read(_ bytes: [UInt8]) throws(ListingProblem) -> BucketPage {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw ListingProblem("it is not UTF-8 text")
    }
    var reader = BucketPageReader(bytes)
    return try reader.read()
  }

  fileprivate init(objects: [Object], token: String?) {
    self.objects = objects
    self.token = token
  }
}

/// Reads the elements of a page. Namespaces do not count: those of the services differ.
private struct BucketPageReader {
  private var reader: XMLReader
  private var path: [String] = []
  private var text = ""
  private var object = BucketPage.Object()
  private var objects: [BucketPage.Object] = []
  /// The texts of the elements directly below the root.
  private var values: [String: String] = [:]

  init(_ bytes: [UInt8]) { reader = XMLReader(bytes) }

  mutating func read() throws(ListingProblem) -> BucketPage {
    var root: String?
    while let event = try next() {
      switch event {
      case .start(let element):
        root = root ?? element.name
        path.append(element.name)
        text = ""
      case .text(let piece): text += piece
      case .end: end()
      }
    }
    switch root {
    case "ListBucketResult": return try page()
    case "Error": throw ListingProblem(errorWords)
    default: throw ListingProblem("it is not the list of a bucket")
    }
  }

  private mutating func next() throws(ListingProblem) -> XMLReader.Event? {
    do throws(XMLProblem) { return try reader.next() } catch { throw ListingProblem(error.words) }
  }

  private mutating func end() {
    switch path.dropFirst() {
    case ["Contents", "Key"]: object.key = text
    case ["Contents", "Size"]:
      object.byteCount = DecimalDigits.int64(text.trimmingBlanks()[...])
    case ["Contents", "ETag"]: object.etag = text
    case ["Contents"]:
      objects.append(object)
      object = BucketPage.Object()
    case let below where below.count == 1: values[below.first ?? ""] = text
    default: break
    }
    _ = path.popLast()
    text = ""
  }

  /// A server that knows the older protocol alone has no token in a list that goes on.
  private func page() throws(ListingProblem) -> BucketPage {
    let token = values["NextContinuationToken"].flatMap { $0.isEmpty ? nil : $0 }
    let isCut = values["IsTruncated"].map { $0.trimmingBlanks() == "true" } ?? (token != nil)
    guard !isCut || token != nil else {
      throw ListingProblem("it is cut off and does not say where it goes on")
    }
    let isEncoded = values["EncodingType"]?.trimmingBlanks() == "url"
    let read =
      isEncoded
      ? objects.map { object in
        var object = object
        object.key = object.key.flatMap(decoded)
        return object
      } : objects
    return BucketPage(objects: read, token: isCut ? token : nil)
  }

  /// Keys are encoded like the values of a form: a plus sign is a blank.
  private func decoded(_ key: String) -> String? {
    let blanks = key.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return PercentEncoding.decoded(blanks).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private var errorWords: String {
    // The endpoint that a bucket in another region is to be asked at.
    let parts = ["Code", "Message", "Endpoint"].compactMap { values[$0]?.trimmingBlanks() }
      .filter { !$0.isEmpty }
    let words = parts.joined(separator: ": ").sanitizedForDisplay(limit: 300)
    return words.isEmpty ? "the service returned an error" : "the service returned \"\(words)\""
  }
}

extension XMLProblem {
  /// Words for the detail of a failure.
  var words: String {
    switch self {
    case .malformed(let line): "line \(line) is not valid XML"
    case .documentType: "it has a document type"
    case .tooDeep: "its elements are nested too deeply"
    }
  }
}
