import KettleModel

/// Lists the files of an item of archive.org
/// (https://archive.org/developers/md-read.html, https://archive.org/developers/md-record.html).
///
/// The variable `KETTLE_ARCHIVE_ENDPOINT` names another server, such as a mirror. The client of
/// archive.org itself has only a setting for it (`general.host` of its configuration).
package struct ArchiveListing: CollectionAdapter {
  /// What the service says of an item. All of it is absent from that of an item that does not
  /// exist.
  private struct Item: Decodable {
    var files: [File]?
    var updated: ListedScalar?
    var lastUpdated: ListedScalar?
    var isDark: ListedScalar?
    var error: ListedScalar?
    var server: ListedScalar?

    enum CodingKeys: String, CodingKey {
      case files, updated, error, server
      case lastUpdated = "item_last_updated"
      case isDark = "is_dark"
    }
  }

  private struct File: Decodable {
    var name: ListedScalar?
    var size: ListedScalar?
    var sha1: ListedScalar?
    var md5: ListedScalar?
    var summation: ListedScalar?
    var isPrivate: ListedScalar?

    enum CodingKeys: String, CodingKey {
      case name, size, sha1, md5, summation
      case isPrivate = "private"
    }
  }

  private let item: String
  private let url: TransferURL
  /// Which redirects to the server that has the files. That server is named in the metadata too,
  /// but an item may move.
  private let directory: TransferURL

  /// Items have up to hundreds of thousands of files.
  package let byteCountMax = 64 << 20
  package var first: ListingRequest { ListingRequest(url) }

  /// Takes the page of an item or the directory of its files, not the URL of a file.
  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    guard let item = item(named: text) else { return nil }
    guard isIdentifier(item) else {
      return .failure(
        ListingProblem("\"\(item.sanitizedForDisplay(limit: 100))\" is no identifier of an item"))
    }
    let endpoint = environment.endpoint("KETTLE_ARCHIVE_ENDPOINT", usual: "https://archive.org")
    guard let url = endpoint?.below("metadata/" + item) else { return nil }
    return .success(
      CollectionSource(.archive, name: "https://archive.org/details/" + item, url: url))
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .archive, let item = Self.item(named: source.name),
      Self.isIdentifier(item), source.url.path.hasSuffix("/metadata/" + item),
      source.url.query == nil, source.url.scheme.family == .http,
      case .success(let directory) = source.url.resolving("../download/\(item)/")
    else { return nil }
    self.item = item
    url = source.url
    self.directory = directory.url
  }

  private static func item(named text: String) -> String? {
    let page = NamedRecord.page(text, on: ["archive.org", "www.archive.org"].contains)
    guard let page, page.count == 2, page.first == "details" || page.first == "download" else {
      return nil
    }
    return page.last.map(String.init)
  }

  /// Letters, digits, dots, dashes and underscores, a letter or digit first
  /// (https://archive.org/developers/metadata-schema/index.html).
  private static func isIdentifier(_ text: String) -> Bool {
    guard let first = text.utf8.first, text.utf8.count <= 100 else { return false }
    return isLetterOrDigit(first)
      && text.utf8.allSatisfy { isLetterOrDigit($0) || "._-".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// The version is the time of the last change. `created` is not: it is the time of the answer.
  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    guard let record = ListedJSON.decode(Item.self, from: answer.bytes) else {
      throw ListingProblem("it is not the metadata of an item")
    }
    if let words = record.error?.text {
      throw ListingProblem("archive.org says: " + words.sanitizedForDisplay(limit: 200))
    }
    if record.isDark?.text == "true" {
      throw ListingProblem("the item is no longer open to the public")
    }
    guard let files = record.files else {
      throw ListingProblem(
        record.server == nil ? "there is no such item" : "the item has no list of files")
    }
    var page = ListingPage()
    page.version = (record.lastUpdated ?? record.updated)?.text?.sanitizedForDisplay(limit: 40)
    // Files of books on loan, for example.
    page.add(files.filter { $0.isPrivate?.text != "true" }, as: member)
    guard !page.isEmpty else {
      throw ListingProblem("the item has no file that is open to the public")
    }
    return page
  }

  /// Returns nil if the name cannot be used.
  ///
  /// The item lists its list of files (`ITEM_files.xml`) too, with a digest over the digests of the
  /// others instead of its own (`summation`). It changes after it has listed itself, so neither
  /// that digest nor a size counts.
  private func member(_ file: File) -> ListedMember? {
    guard let name = file.name?.text, let listed = ListedPath(name),
      let url = listed.url(beside: directory)
    else { return nil }
    var member = ListedMember(path: listed.path, url: url)
    guard name != item + "_files.xml", file.summation == nil else { return member }
    member.byteCount = file.size?.byteCount
    member.checksum = file.sha1?.checksum(.sha1) ?? file.md5?.checksum(.md5)
    return member
  }
}
