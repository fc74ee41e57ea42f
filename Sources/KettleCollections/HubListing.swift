import KettleModel

/// Lists a repository of Hugging Face: a model, a dataset or a space.
///
/// The first document says the commit of the revision. All others are pages of the tree of that
/// commit, so a push during the download changes nothing. The documents are described at
/// https://huggingface.co/.well-known/openapi.md, the parameters of the tree under `list_repo_tree`
/// at https://huggingface.co/docs/huggingface_hub/package_reference/hf_api.
package struct HubListing: CollectionAdapter {
  /// The kinds of documents.
  private enum Stage: Int { case revision, tree }

  package let byteCountMax = 16 << 20
  package let first: ListingRequest
  private let repository: HubRepository
  /// The endpoint, without a slash at the end.
  private let base: String

  /// The documents are from the endpoint even if a link leads to huggingface.co: the user has
  /// chosen a mirror.
  package static func source(
    named text: String, in environment: CollectionEnvironment
  ) -> Result<CollectionSource, ListingProblem>? {
    let site = "https://huggingface.co"
    let endpoint = environment.url("HF_ENDPOINT").map { $0.origin.text + $0.path } ?? site
    let base = String(endpoint.reversed().drop { $0 == "/" }.reversed())
    do throws(ListingProblem) {
      let text = text.trimmingBlanks()
      guard let repository = try HubRepository.named(text, linkedFrom: [base, site]) else {
        return nil
      }
      guard case .success(let parsed) = TransferURL.parse(base + repository.revisionPath) else {
        throw ListingProblem("it is too long")
      }
      return .success(CollectionSource(.hub, name: repository.name, url: parsed.url))
    } catch {
      return .failure(error)
    }
  }

  package init?(_ source: CollectionSource) {
    guard source.kind == .hub,
      let repository = try? HubRepository.named(source.name, linkedFrom: []),
      source.url.scheme.family == .http, source.url.query == nil,
      source.url.path.hasSuffix(repository.revisionPath)
    else { return nil }
    self.repository = repository
    base = String(source.url.text.dropLast(repository.revisionPath.count))
    first = ListingRequest(source.url, stage: Stage.revision.rawValue)
  }

  package func read(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    switch Stage(rawValue: request.stage) {
    case .revision: try readRevision(answer)
    case .tree: try readTree(answer, to: request)
    case nil: throw Self.foreign
    }
  }

  private static let foreign = ListingProblem("it is not a list of Hugging Face")

  private struct Refusal: Decodable { var error: String }

  private static func decode<Document: Decodable>(
    _ type: Document.Type, _ answer: ListingAnswer
  ) throws(ListingProblem) -> Document {
    if let document = ListedJSON.decode(type, from: answer.bytes) { return document }
    guard let refusal = ListedJSON.decode(Refusal.self, from: answer.bytes) else { throw foreign }
    let words = refusal.error.sanitizedForDisplay(limit: 200)
    throw ListingProblem("Hugging Face says \"\(words)\"")
  }

  private func readRevision(_ answer: ListingAnswer) throws(ListingProblem) -> ListingPage {
    struct Revision: Decodable { var sha: String }
    guard let commit = Self.commit(try Self.decode(Revision.self, answer).sha) else {
      throw ListingProblem("it does not say the commit of the revision")
    }
    let tree = base + repository.treePath + commit + HubRepository.escaped(repository.path)
    guard case .success(let parsed) = TransferURL.parse(tree + "?recursive=true&expand=false")
    else { throw ListingProblem("the URL of its list is too long") }
    var page = ListingPage()
    page.version = commit
    page.further = [ListingRequest(parsed.url, stage: Stage.tree.rawValue)]
    return page
  }

  /// A whole commit id in lower case; nil for any other text.
  private static func commit(_ text: String) -> String? {
    Checksum(algorithm: .sha1, hex: text)?.hex
  }

  /// A file or a directory. Its own `oid` is that of the object of Git, which for a file in large
  /// file storage is a pointer.
  private struct Entry: Decodable {
    struct Large: Decodable {
      var oid: String?
      var size: Int64?
    }

    var type: String
    var path: String?
    var size: Int64?
    /// The id of the git blob, which is that of a pointer for a large file.
    var oid: String?
    var lfs: Large?

    var byteCount: Int64? { [lfs?.size, size].compactMap(\.self).first { $0 >= 0 } }

    /// Some endpoints write `sha256:` before the digits.
    var checksum: Checksum? {
      lfs?.oid.flatMap { Checksum($0) }.flatMap { $0.algorithm == .sha256 ? $0 : nil }
    }
  }

  private func readTree(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingPage {
    let (text, tree) = (request.url.text, base + repository.treePath)
    let end = text.dropFirst(tree.count)
    guard text.hasPrefix(tree), let commit = Self.commit(String(end.prefix { !"/?".contains($0) }))
    else { throw Self.foreign }
    let files = base + repository.filesPath + commit + "/"
    var page = ListingPage()
    for entry in try Self.decode([Entry].self, answer) where entry.type == "file" {
      if let member = Self.member(entry, below: files) {
        page.members.append(member)
      } else {
        page.refusedCount += 1
      }
    }
    if let next = try Self.next(answer, to: request) { page.further = [next] }
    return page
  }

  private static func member(_ entry: Entry, below files: String) -> ListedMember? {
    guard let text = entry.path, let listed = ListedPath(text),
      // With dots or an empty component it would be the URL of another file.
      listed.path.text == text
        || HubRepository.components(of: text).allSatisfy(HubRepository.isName),
      case .success(let parsed) = TransferURL.parse(files + listed.reference)
    else { return nil }
    return ListedMember(
      path: listed.path, url: parsed.url, byteCount: entry.byteCount, checksum: entry.checksum,
      stamp: entry.oid)
  }

  /// The next page: this one with the query of the link to it.
  ///
  /// Nothing else of the link is used, so that the list stays on its server and at its commit.
  /// Mirrors send the links of huggingface.co unchanged
  /// (https://github.com/padeoe/hf-mirror-site/issues/65).
  private static func next(
    _ answer: ListingAnswer, to request: ListingRequest
  ) throws(ListingProblem) -> ListingRequest? {
    guard let link = answer.link.flatMap(nextLink) else { return nil }
    guard case .success(let linked) = answer.url.resolving(link), let query = linked.url.query,
      case .success(let next) = request.url.resolving("?" + query), next.url != request.url
    else { throw ListingProblem("its link to the next page cannot be used") }
    return ListingRequest(next.url, stage: Stage.tree.rawValue)
  }

  /// The first link with the relation `next` (RFC 8288, section 3).
  private static func nextLink(in header: String) -> String? {
    var rest = header[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      var isQuoted = false
      let parameters = rest[close...].prefix {
        if $0 == "\"" { isQuoted.toggle() }
        return isQuoted || $0 != ","
      }
      let isNext = parameters.dropFirst().split(separator: ";").contains { parameter in
        let words = parameter.lowercased().split { "=\" \t".contains($0) }
        return words.first == "rel" && words.dropFirst().contains("next")
      }
      if isNext { return String(rest[open..<close].dropFirst()) }
      rest = rest[parameters.endIndex...]
    }
    return nil
  }
}

/// A repository at a revision, and the directory of it that is listed.
private struct HubRepository: Sendable {
  private enum Kind: String { case models, datasets, spaces }

  /// What is no owner, because it begins the paths of other pages or the addresses of other things.
  private static let reserved: Set = [
    "api", "blog", "buckets", "chat", "collections", "dataset", "datasets", "docs", "inference",
    "join", "kernels", "learn", "login", "logout", "model", "models", "oauth", "organizations",
    "papers", "posts", "pricing", "search", "settings", "space", "spaces", "tasks",
  ]

  private let kind: Kind
  /// The owner and the name, or the name alone of an old one.
  private let names: [String]
  private let revision: String
  let path: [String]

  /// Reads an address `hf://[KIND/]OWNER/NAME[@REVISION][/PATH]`, or a link to the page of a
  /// repository or of a directory of one, as in
  /// https://huggingface.co/docs/huggingface_hub/package_reference/hf_uris.
  ///
  /// Returns nil for other text. This includes links to a single file, and links without an owner,
  /// which may lead to the page of a user.
  static func named(
    _ text: String, linkedFrom sites: [String]
  ) throws(ListingProblem) -> HubRepository? {
    if text.prefix(5).lowercased() == "hf://" { return try Self(address: text.dropFirst(5)) }
    guard case .success(let link) = TransferURL.parse(typed: text), link.login == nil,
      link.url.scheme.family == .http
    else { return nil }
    let place = link.url.text.prefix { $0 != "?" }.drop { $0 != ":" }
    let bases = sites.map { $0.drop { $0 != ":" } + "/" }
    guard let base = bases.first(where: place.hasPrefix) else { return nil }
    var rest = place.dropFirst(base.count).split(separator: "/").map(String.init)[...]
    let kind = rest.first.flatMap(Kind.init) ?? .models
    if kind != .models { rest = rest.dropFirst() }
    let names = Array(rest.prefix(2))
    rest = rest.dropFirst(2)
    guard names.count == 2, rest.isEmpty || rest.popFirst() == "tree" else { return nil }
    let revision = rest.popFirst() ?? "main"
    let path = rest.map { TransferURL.percentDecoded($0[...]) ?? "" }
    return try? Self(kind, names, encodedRevision: revision[...], path: path)
  }

  private init(address: Substring) throws(ListingProblem) {
    var rest = Self.components(of: address)[...]
    if rest.count > 1, rest.last == "" { rest.removeLast() }
    let kind = rest.first.flatMap(Kind.init)
    if kind != nil { rest = rest.dropFirst() }
    // An old name without an owner is alone or has a revision.
    let hasOwner = rest.count > 1 && rest.first?.contains("@") == false
    let owner = hasOwner ? rest.popFirst() : nil
    let parts = (rest.popFirst() ?? "").split(
      separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    try self.init(
      kind ?? .models, [owner, parts.first.map(String.init)].compactMap(\.self),
      encodedRevision: parts.dropFirst().first ?? "main", path: Array(rest))
  }

  private init(
    _ kind: Kind, _ names: [String], encodedRevision: Substring, path: [String]
  ) throws(ListingProblem) {
    guard names.allSatisfy(Self.isIdentifier), names.count == 2 || kind != .spaces,
      names.first.map(Self.reserved.contains) == false
    else { throw ListingProblem("it does not name a repository; write hf://OWNER/NAME") }
    guard let revision = TransferURL.percentDecoded(encodedRevision), Self.isName(revision) else {
      throw ListingProblem("its revision is not valid; write a slash in it as %2F")
    }
    let isPath = path.allSatisfy {
      Self.isName($0) && $0.unicodeScalars.allSatisfy { $0 != "/" && !$0.isControl }
    }
    guard isPath else { throw ListingProblem("its directory is not a path that leads down") }
    (self.kind, self.names, self.revision, self.path) = (kind, names, revision, path)
  }

  private var id: String {
    (kind == .models ? "" : kind.rawValue + "/") + names.joined(separator: "/")
  }
  private var apiPath: String { "/api/" + kind.rawValue + Self.escaped(names) }

  /// The address that means this.
  var name: String {
    (["hf://" + id + "@" + PercentEncoding.encoded(component: revision)] + path).joined(
      separator: "/")
  }
  var revisionPath: String { apiPath + "/revision/" + PercentEncoding.encoded(component: revision) }
  var treePath: String { apiPath + "/tree/" }
  var filesPath: String { "/" + id + "/resolve/" }

  static func components(of path: some StringProtocol) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Whether a component of a path is one in a URL too.
  static func isName(_ component: String) -> Bool {
    !component.isEmpty && component != "." && component != ".."
  }

  /// Whether it has up to 96 letters, digits, `.`, `-` and `_`, but no `.` and `-` at the ends.
  private static func isIdentifier(_ name: String) -> Bool {
    (1...96).contains(name.utf8.count) && !name.contains("~")
      && PercentEncoding.encoded(component: name) == name
      && [name.first, name.last].allSatisfy { $0 != "." && $0 != "-" }
  }

  /// The components, each after a slash.
  static func escaped(_ path: [String]) -> String {
    path.map { "/" + PercentEncoding.encoded(component: $0) }.joined()
  }
}
