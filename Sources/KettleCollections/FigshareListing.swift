import KettleModel

/// Lists the files of an article of figshare, such as a dataset
/// (https://docs.figshare.com/swagger.json).
///
/// The document of an article has at most ten of its files, but says its version and the folders.
/// All other documents are pages of the files of that version, so a later version changes nothing.
/// The variable `KETTLE_FIGSHARE_ENDPOINT` names another server. Files are at the URLs that its
/// documents give them, which are those of another host at figshare too.
package struct FigshareListing: RecordAdapter {
  package static let kind = CollectionSource.Kind.figshare
  package static let endpoint = (
    variable: "KETTLE_FIGSHARE_ENDPOINT", usual: "https://api.figshare.com"
  )

  /// The most that the service permits.
  private static let pageFileCount = 1000
  /// So many pages have as many files as a list may have.
  private static let pageCountMax = 1000

  package let byteCountMax = 16 << 20
  package let url: TransferURL

  package init(url: TransferURL) { self.url = url }

  /// Takes the page of an article, also of an institution, and a DOI with the prefix of figshare.
  package static func record(named text: String) -> Result<NamedRecord, ListingProblem>? {
    guard let parts = parts(of: text.lowercased()) else { return nil }
    let numbers = parts.compactMap { NamedRecord.number($0) }
    guard let article = numbers.first, numbers.count == parts.count else {
      return .failure(
        ListingProblem(quoting: parts.joined(separator: "/"), "is no number of an article"))
    }
    var record = NamedRecord(
      name: "https://figshare.com/articles/_/" + article, path: "v2/articles/" + article)
    if let version = numbers.dropFirst().first {
      record.name += "/" + version
      record.path += "/versions/" + version
    }
    return .success(record)
  }

  /// The texts in the places of the number and of the version, if there is one. Numbers of articles
  /// have more than three digits, versions do not.
  private static func parts(of text: String) -> ArraySlice<Substring>? {
    if let suffix = NamedRecord.suffix(ofDOI: text, after: "10.6084/m9.figshare.") {
      return suffix.split(separator: ".v", maxSplits: 1, omittingEmptySubsequences: false)[...]
    }
    let page = NamedRecord.page(text) { $0 == "figshare.com" || $0.hasSuffix(".figshare.com") }
    guard let page, page.first == "articles", page.count > 2, let last = page.last else {
      return nil
    }
    let pair = page.suffix(2)
    let hasVersion = last.utf8.count <= 3 && pair.allSatisfy { NamedRecord.number($0) != nil }
    return hasVersion ? pair : page.suffix(1)
  }

  /// The stage of a request is the number of the page; that of the article is 0.
  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let document = ListedJSON.decode(ListedValue.self, from: answer.bytes)
    let foreign = ListingProblem(
      "figshare", says: document?["message"]?.text, otherwise: "it is not an article of figshare")
    var page = ListingPage()
    if request.stage == 0 {
      page.version = document?["version"]?.text.flatMap { NamedRecord.number($0) }
      guard let version = page.version else { throw foreign }
      let hasVersion = url.components.dropLast().last == "versions"
      let files = url.below(hasVersion ? "files" : "versions/\(version)/files")
      let folders = document?["folder_structure"]?.fields.compactMapValues(\.text)
      page.further = [try Self.next(after: request, at: files, folders ?? [:])]
      return page
    }
    guard let files = document?.items else { throw foreign }
    page.add(files) { Self.member($0, in: request.fileDirectories) }
    guard request.stage > 1 || !page.isEmpty else {
      throw ListingProblem("the article has no file that is open to the public")
    }
    if files.count == Self.pageFileCount, request.stage < Self.pageCountMax {
      page.further = [try Self.next(after: request, at: request.url, request.fileDirectories)]
    }
    return page
  }

  /// The request for the page of files that follows another request.
  private static func next(
    after request: ListingRequest, at files: TransferURL?, _ directories: [String: String]
  ) throws(ListingProblem) -> ListingRequest {
    let number = request.stage + 1
    let query = "?page=\(number)&page_size=\(pageFileCount)"
    guard case .success(let parsed)? = files?.resolving(query) else {
      throw ListingProblem("the URL of its list is too long")
    }
    return ListingRequest(parsed.url, stage: number, fileDirectories: directories)
  }

  /// Returns nil for a link to another site, which is usually a page, and for a name or a URL that
  /// cannot be used.
  private static func member(
    _ file: ListedValue, in directories: [String: String]
  ) -> ListedMember? {
    let directory = file["id"]?.text.flatMap { directories[$0] }
    guard file["is_link_only"]?.text != "true",
      let path = MemberPath(file["name"]?.text, in: directory),
      case .success(let parsed)? = file["download_url"]?.text.map({ TransferURL.parse($0) })
    else { return nil }
    let digests = ["computed_md5", "supplied_md5"].compactMap { file[$0]?.scalar.checksum(.md5) }
    return ListedMember(
      path: path, url: parsed.url, byteCount: file["size"]?.scalar.byteCount,
      checksum: digests.first)
  }
}
