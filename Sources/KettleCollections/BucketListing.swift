import KettleModel

/// Lists the objects of a bucket whose keys begin with a prefix, by the protocol of S3
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html), which the XML API of
/// Google Cloud Storage speaks too (https://cloud.google.com/storage/docs/xml-api/get-bucket-list).
///
/// Requests are signed if the transfer has a login with a region (`Login.Signing`); otherwise the
/// bucket must be open to everyone. `AWS_ENDPOINT_URL_S3`, or else `AWS_ENDPOINT_URL`, names
/// another service (https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html).
///
/// Members have no digest. An ETag looks like an MD5 digest and often is one, but that of an object
/// that is encrypted with SSE-KMS or SSE-C has the same form and is none, and nothing in the list
/// tells them apart (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html). A whole file
/// would count as damaged.
package struct BucketListing: CollectionAdapter {
  private enum Service: String {
    case s3, gs
  }

  private struct Place {
    var service: Service
    var bucket: String
    var prefix: String

    var name: String { "\(service.rawValue)://\(bucket)/\(prefix)" }
    /// The query of a page: of the first one, or of the one with a token. Its fields are sorted, as
    /// those of a signed request must be.
    func query(_ token: String? = nil) -> String {
      let first =
        token.map { "continuation-token=\(PercentEncoding.encoded(component: $0))&" } ?? ""
      return first + "encoding-type=url&list-type=2&prefix="
        + PercentEncoding.encoded(component: prefix)
    }
  }

  private let place: Place
  private let url: TransferURL

  /// A page has at most 1000 objects, whose keys have at most 1024 bytes.
  package let byteCountMax = 16 << 20
  package var first: ListingRequest { ListingRequest(url) }
  package let readsErrors = true

  /// Takes `s3://BUCKET/PREFIX` and `gs://BUCKET/PREFIX`. The prefix is taken as it is, without
  /// decoding it, and usually ends with a slash: `data` is the prefix of `data/x` and of `data2/x`.
  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard let place = place(named: text) else { return nil }
    guard isBucket(place.bucket, of: place.service) else {
      let shown = place.bucket.sanitizedForDisplay(limit: 80)
      return .failure(ListingProblem("\"\(shown)\" is no name of a bucket"))
    }
    guard place.prefix.utf8.count <= 1024,
      !place.prefix.unicodeScalars.contains(where: \.isControl)
    else { return .failure(ListingProblem("the prefix is too long or has a control character")) }
    guard let url = root(of: place, in: environment)?.below("?" + place.query()) else {
      return .failure(ListingProblem("the endpoint of the service cannot be used"))
    }
    return .success(CollectionSource(.bucket, name: place.name, url: url))
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .bucket, let place = Self.place(named: source.name),
      Self.isBucket(place.bucket, of: place.service), source.url.scheme.family == .http,
      source.url.path == "/" || source.url.path.hasSuffix("/\(place.bucket)/"),
      source.url.query == place.query()
    else { return nil }
    self.place = place
    url = source.url
  }

  private static func place(named text: String) -> Place? {
    let name = text.trimmingBlanks()
    guard let mark = name.firstRange(of: "://"),
      let service = Service(rawValue: name[..<mark.lowerBound].lowercased())
    else { return nil }
    let rest = name[mark.upperBound...].utf8
    let slash = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    return Place(
      service: service, bucket: String(Substring(rest[..<slash])),
      prefix: String(Substring(rest[slash...].dropFirst())))
  }

  /// Google permits underscores as well (https://cloud.google.com/storage/docs/buckets#naming).
  private static func isBucket(_ name: String, of service: Service) -> Bool {
    ObjectPrefix.isBucket(name, others: service == .gs ? ".-_" : ".-")
  }

  /// The URL below which the objects are.
  ///
  /// At Amazon, the bucket is part of the host, because the name of the host leads to the region of
  /// the bucket (https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingRouting.html). A bucket
  /// with a dot is part of the path: no certificate covers its host.
  private static func root(
    of place: Place, in environment: CollectionEnvironment
  ) -> TransferURL? {
    let directory = place.bucket + "/"
    let usual: String
    switch place.service {
    case .gs: usual = "https://storage.googleapis.com/" + directory
    case .s3:
      if let url = environment.url("AWS_ENDPOINT_URL_S3") ?? environment.url("AWS_ENDPOINT_URL") {
        return url.below(directory)
      }
      usual =
        place.bucket.contains(".")
        ? "https://s3.amazonaws.com/" + directory : "https://\(place.bucket).s3.amazonaws.com/"
    }
    guard case .success(let parsed) = TransferURL.parse(usual) else { return nil }
    return parsed.url
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let list = try BucketPage.read(answer.bytes)
    var page = ListingPage()
    for object in list.objects {
      if let key = object.key, key.utf8.last == UInt8(ascii: "/") { continue }
      if let member = member(object) {
        page.members.append(member)
      } else {
        page.refusedCount += 1
      }
    }
    if let token = list.token {
      guard let next = url.below("?" + place.query(token)), next != request.url else {
        throw ListingProblem("it does not say where it goes on")
      }
      page.further = [ListingRequest(next, stage: 1)]
    } else if request == first, list.objects.isEmpty {
      throw ListingProblem("no object has this prefix")
    }
    return page
  }

  /// Returns nil for a key that is not below the prefix or cannot be made a path. The directories
  /// of the prefix are no part of it.
  private func member(_ object: BucketPage.Object) -> ListedMember? {
    guard let key = object.key, Self.isRequestable(key) else { return nil }
    let prefix = place.prefix.utf8
    let directory =
      prefix.lastIndex(of: UInt8(ascii: "/")).map { prefix[...$0] } ?? prefix[..<prefix.startIndex]
    guard key.utf8.starts(with: directory) else { return nil }
    let below = Self.components(key.utf8.dropFirst(directory.count))
    guard let path = MemberPath(foreign: below),
      let found = url.below(PercentEncoding.encoded(path: key))
    else { return nil }
    return ListedMember(
      path: path, url: found, byteCount: object.byteCount, stamp: object.etag)
  }

  /// Whether a URL can name a key. In one with a dot as a component, it would be taken out.
  private static func isRequestable(_ key: String) -> Bool {
    components(key.utf8[...]).allSatisfy { $0 != "." && $0 != ".." }
  }

  /// Splits bytes, because to `Character` a combining mark hides the slash before it.
  private static func components(_ key: Substring.UTF8View) -> [String] {
    key.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }
}
