import KettleModel
import Testing

@testable import KettleCollections

struct HubListingTests {
  private static let sha = "607a30d783dfa663caf39e06633721c8d4cfcd7e"
  private static let noVariables = CollectionEnvironment([:])
  private static let tree =
    "https://huggingface.co/api/models/org/name/tree/\(sha)?recursive=true&expand=false"

  private func source(
    _ text: String, _ variables: [String: String] = [:]
  ) -> Result<CollectionSource, ListingProblem>? {
    HubListing.source(named: text, in: CollectionEnvironment(variables))
  }

  private func listing(
    _ text: String, _ variables: [String: String] = [:]
  ) throws -> HubListing {
    let found = try #require(try source(text, variables)?.get())
    return try #require(HubListing(found))
  }

  private func url(_ text: String) throws -> TransferURL { try TransferURL.parse(text).get().url }

  /// The page that a document of the tree of hf://org/name gives.
  private func page(
    _ json: String, link: String? = nil, request: String = tree, answer: String? = nil
  ) throws -> ListingPage {
    let request = ListingRequest(try url(request), stage: 1)
    let answer = ListingAnswer(
      try url(answer ?? request.url.text), Array(json.utf8), mediaType: "application/json",
      link: link)
    return try listing("hf://org/name").read(answer, to: request)
  }

  private func words(_ read: () throws -> ListingPage) -> String? {
    do {
      _ = try read()
      return nil
    } catch {
      return (error as? ListingProblem)?.words
    }
  }

  // MARK: - Sources

  @Test(arguments: [
    ("hf://org/name", "hf://org/name@main"),
    ("  HF://org/name/ \n", "hf://org/name@main"),
    ("hf://models/org/name", "hf://org/name@main"),
    ("hf://org/name@v1.0", "hf://org/name@v1.0"),
    ("hf://org/name@refs%2fpr%2F1", "hf://org/name@refs%2Fpr%2F1"),
    ("hf://org/name@a@b", "hf://org/name@a%40b"),
    ("hf://gpt2", "hf://gpt2@main"),
    ("hf://gpt2@main/onnx", "hf://gpt2@main/onnx"),
    ("hf://datasets/squad", "hf://datasets/squad@main"),
    ("hf://org/name/onnx/x@y", "hf://org/name@main/onnx/x@y"),
    ("hf://datasets/org/name", "hf://datasets/org/name@main"),
    ("hf://datasets/org/name@rev/sub/path", "hf://datasets/org/name@rev/sub/path"),
    ("hf://spaces/org/name/my files/100%", "hf://spaces/org/name@main/my files/100%"),
    ("https://huggingface.co/org/name", "hf://org/name@main"),
    ("huggingface.co/org/name/", "hf://org/name@main"),
    ("http://huggingface.co/org/name?library=x#files", "hf://org/name@main"),
    ("https://huggingface.co/org/name/tree", "hf://org/name@main"),
    ("https://huggingface.co/org/name/tree/main", "hf://org/name@main"),
    ("https://huggingface.co/org/name/tree/v2/sub/dir", "hf://org/name@v2/sub/dir"),
    ("https://huggingface.co/org/name/tree/refs%2Fpr%2F1", "hf://org/name@refs%2Fpr%2F1"),
    ("https://huggingface.co/org/name/tree/main/a%20b", "hf://org/name@main/a b"),
    ("https://huggingface.co/datasets/org/name", "hf://datasets/org/name@main"),
    (
      "https://huggingface.co/datasets/org/name/tree/main/ä",
      "hf://datasets/org/name@main/ä"
    ),
    ("https://huggingface.co/spaces/org/name?logs=build", "hf://spaces/org/name@main"),
  ])
  func `a source has one name`(text: String, name: String) throws {
    let found = try #require(try source(text)?.get())
    #expect(found.name == name)
    #expect(found.kind == .hub)
    // The name means the same source again, and the adapter is made of the source alone.
    #expect(try source(name)?.get() == found)
    #expect(HubListing(found)?.first == ListingRequest(found.url))
  }

  @Test(arguments: [
    "", " ", "org/name", "gpt2", "hf:org/name", "hf:/", "/tmp/hf://org/name", "s3://org/name",
    "https://huggingface.co", "https://huggingface.co/", "https://huggingface.co/gpt2",
    "https://huggingface.co/org/name/resolve/main/a.bin",
    "https://huggingface.co/org/name/blob/main/a.bin",
    "https://huggingface.co/org/name/raw/main/a.bin",
    "https://huggingface.co/datasets/org/name/resolve/main/a.bin",
    "https://huggingface.co/org/name/commits/main", "https://huggingface.co/org/name/discussions/1",
    "https://huggingface.co/org/name/tree/%zz", "https://huggingface.co/org/name/tree/..",
    "https://huggingface.co/org/name/tree/main/../..",
    "https://huggingface.co/org/name/tree/main/a%2Fb",
    "https://huggingface.co/org/name/tree/main/%0A",
    "https://huggingface.co/docs/hub", "https://huggingface.co/blog/post",
    "https://huggingface.co/settings/tokens", "https://huggingface.co/login",
    "https://huggingface.co/api/models", "https://huggingface.co/api/models/org/name",
    "https://huggingface.co/models", "https://huggingface.co/models/org/name",
    "https://huggingface.co/papers/2401.1", "https://huggingface.co/collections/org/slug",
    "https://huggingface.co/organizations/new", "https://huggingface.co/join/x",
    "https://huggingface.co/pricing/x", "https://huggingface.co/datasets",
    "https://huggingface.co/spaces", "https://huggingface.co/datasets/squad",
    "https://huggingface.co/spaces/org", "https://huggingface.co/-org/name",
    "https://user:secret@huggingface.co/org/name", "https://huggingface.co.example/org/name",
    "https://huggingface.co:8443/org/name", "ftp://huggingface.co/org/name",
    "https://example.org/org/name",
  ])
  func `other text is not a source`(text: String) {
    #expect(source(text) == nil)
  }

  @Test(arguments: [
    "hf://", "hf:///", "hf:///org/name", "hf://org//name", "hf://@main", "hf://org/name@",
    "hf://org/name@/x", "hf://org/name@..", "hf://org/name@%", "hf://org/name@a%00b",
    "hf://org/name@%FF", "hf://datasets", "hf://datasets/", "hf://models", "hf://spaces/org",
    "hf://dataset/org/name", "hf://buckets/org/name", "hf://models/datasets/name",
    "hf://../name", "hf://org/..", "hf://org/na me", "hf://org/na~me", "hf://org/näme",
    "hf://org/name?x", "hf://org/%6Eame", "hf://org/name/a//b", "hf://org/name/../x",
    "hf://org/name/.", "hf://org/name/a\nb", "hf://org/name/a\u{7}",
    "hf://org/" + String(repeating: "n", count: 97),
    "hf://org/name@" + String(repeating: "ä", count: 9000),
  ])
  func `an address that cannot be used has a problem`(text: String) throws {
    let result = try #require(source(text))
    #expect(throws: ListingProblem.self) { try result.get() }
  }

  @Test(arguments: [
    ("hf://org/name", "/api/models/org/name/revision/main"),
    ("hf://gpt2", "/api/models/gpt2/revision/main"),
    ("hf://datasets/org/name@v1/x", "/api/datasets/org/name/revision/v1"),
    ("hf://spaces/org/name@refs%2Fpr%2F1", "/api/spaces/org/name/revision/refs%2Fpr%2F1"),
  ])
  func `the first document is that of the revision`(text: String, path: String) throws {
    let home = try #require(try source(text)?.get())
    #expect(home.url.text == "https://huggingface.co" + path)
    let mirror = ["HF_ENDPOINT": "http://localhost:8080/hf/"]
    let found = try #require(try source(text, mirror)?.get())
    #expect(found.url.text == "http://localhost:8080/hf" + path)
    #expect(found.name == home.name)
  }

  @Test(arguments: [
    ("https://hub.example", "http://hub.example/org/name", true),
    ("https://hub.example", "https://huggingface.co/org/name/tree/main", true),
    ("http://hub.example:8080/hf", "http://hub.example:8080/hf/org/name", true),
    ("http://hub.example:8080/hf", "http://hub.example:8080/org/name", false),
    ("http://hub.example:8080", "http://hub.example:9090/org/name", false),
    ("ftp://hub.example", "https://hub.example/org/name", false),
  ])
  func `links of the endpoint are sources`(
    endpoint: String, link: String, isSource: Bool
  ) throws {
    let found = try source(link, ["HF_ENDPOINT": endpoint])?.get()
    #expect(found?.name == (isSource ? "hf://org/name@main" : nil))
    if let found { #expect(found.url.text == endpoint + "/api/models/org/name/revision/main") }
  }

  @Test func `a changed record is not a source`() throws {
    let source = try #require(try source("hf://org/name")?.get())
    var changed = source
    changed.name = "hf://org/other@main"
    #expect(HubListing(changed) == nil)
    changed.name = "https://huggingface.co/org/name"
    #expect(HubListing(changed) == nil)
    changed.name = "hf://"
    #expect(HubListing(changed) == nil)
    changed = source
    changed.kind = .bucket
    #expect(HubListing(changed) == nil)
    changed = source
    changed.url = try url(source.url.text + "?x")
    #expect(HubListing(changed) == nil)
    changed.url = try url("ftp://huggingface.co" + source.url.path)
    #expect(HubListing(changed) == nil)
  }

  // MARK: - The revision

  /// The fields of https://huggingface.co/.well-known/openapi.md, most of which do not matter.
  private static let revision = """
    {"_id":"621ffdc136468d709f17ea62","id":"org/name","private":false,"pipeline_tag":"fill-mask",
    "tags":["pytorch","license:mit"],"downloads":1,"likes":2,"modelId":"org/name","author":"org",
    "sha":"\(sha)","lastModified":"2024-02-19T10:57:45.000Z","gated":false,"disabled":false,
    "config":{"architectures":["BertModel"]},"cardData":{"license":"mit"},
    "siblings":[{"rfilename":".gitattributes"},{"rfilename":"model.safetensors"}]}
    """

  @Test(arguments: [
    ("hf://org/name", "https://huggingface.co/api/models/org/name/tree/"),
    ("hf://gpt2@v1", "https://huggingface.co/api/models/gpt2/tree/"),
    ("hf://datasets/org/name@v1/a b/ä?", "https://huggingface.co/api/datasets/org/name/tree/"),
  ])
  func `a revision leads to the tree of its commit`(text: String, tree: String) throws {
    let listing = try listing(text)
    let answer = ListingAnswer(listing.first.url, Array(Self.revision.utf8))
    let page = try listing.read(answer, to: listing.first)
    #expect(page.version == Self.sha)
    #expect(page.members.isEmpty)
    let directory = text.contains("ä") ? "/a%20b/%C3%A4%3F" : ""
    #expect(page.further.map(\.stage) == [1])
    #expect(
      page.further.map(\.url.text) == [
        tree + Self.sha + directory + "?recursive=true&expand=false"
      ])
  }

  @Test(arguments: [
    ("{}", "it is not a list of Hugging Face"),
    ("{\"sha\":null}", "it is not a list of Hugging Face"),
    ("{\"sha\":\"main\"}", "it does not say the commit of the revision"),
    (
      "{\"sha\":\"../../../../../../../../../../../../../x\"}",
      "it does not say the commit of the revision"
    ),
    ("{\"error\":\"Repository not found\"}", "Hugging Face says \"Repository not found\""),
    ("{\"error\":\"a\\u001b[31m\"}", "Hugging Face says \"a\u{FFFD}[31m\""),
    ("{\"error\":{}}", "it is not a list of Hugging Face"),
    ("{\"sha\":1}", "it is not a list of Hugging Face"),
    ("[]", "it is not a list of Hugging Face"),
    ("<html>", "it is not a list of Hugging Face"),
    ("", "it is not a list of Hugging Face"),
  ])
  func `a revision without a commit is a problem`(json: String, problem: String) throws {
    let listing = try listing("hf://org/name")
    let answer = ListingAnswer(listing.first.url, Array(json.utf8))
    #expect(words { try listing.read(answer, to: listing.first) } == problem)
  }

  // MARK: - The tree

  /// The fields of `RepoFile` and `RepoFolder` at
  /// https://huggingface.co/docs/huggingface_hub/package_reference/hf_api.
  private static let files = """
    [{"type":"directory","oid":"aa536c4ea18073388b5b0bc791057a7296a00398","size":0,"path":"onnx"},
    {"type":"file","oid":"ae8c63daedbd4206d7d40126955d4e6ab1c80f8f","size":391,"path":"README.md"},
    {"type":"file","oid":"64eaa9c526867e404b68f2c5d66fd78e27026523","size":548123560,
    "lfs":{"oid":"9be78edb5b928eba33aa88f431551348f7466ba9f5ef3daf1d552398722a5436",
    "size":548123560,"pointerSize":134},"xetHash":"0f0e","path":"onnx/model é.bin"},
    {"type":"file","oid":"8095a62ccb4d806da7666fcda07467e2d150218e","size":134,
    "lfs":{"oid":"sha256:D88b0d6a6ff9c3f8151f9d3228f57092aaea997f09af009eefd7373a77b5abb9",
    "size":497764107,"pointerSize":134},"path":"a#b?c%20.bin"}]
    """

  @Test func `a tree lists files with sizes and digests`() throws {
    let page = try page(Self.files)
    let base = "https://huggingface.co/org/name/resolve/\(Self.sha)/"
    #expect(page.members.map(\.path.text).prefix(2) == ["README.md", "onnx/model é.bin"])
    #expect(
      page.members.map(\.url.text) == [
        base + "README.md", base + "onnx/model%20%C3%A9.bin", base + "a%23b%3Fc%2520.bin",
      ])
    #expect(page.members.map(\.byteCount) == [391, 548_123_560, 497_764_107])
    #expect(
      page.members.map(\.checksum?.text) == [
        nil, "sha256:9be78edb5b928eba33aa88f431551348f7466ba9f5ef3daf1d552398722a5436",
        "sha256:d88b0d6a6ff9c3f8151f9d3228f57092aaea997f09af009eefd7373a77b5abb9",
      ])
    #expect(page.refusedCount == 0)
    #expect(page.version == nil)
    #expect(page.further.isEmpty)
  }

  @Test(arguments: [
    ("hf://datasets/org/name@v1/data", "datasets/org/name/"),
    ("hf://spaces/org/name", "spaces/org/name/"),
    ("hf://gpt2", "gpt2/"),
  ])
  func `files are at the endpoint with their whole paths`(text: String, place: String) throws {
    let listing = try listing(text, ["HF_ENDPOINT": "http://localhost:8080/hf"])
    let revision = ListingAnswer(listing.first.url, Array(Self.revision.utf8))
    let tree = try #require(try listing.read(revision, to: listing.first).further.first)
    let json = "[{\"type\":\"file\",\"size\":1,\"path\":\"data/a/b.txt\"}]"
    let page = try listing.read(ListingAnswer(tree.url, Array(json.utf8)), to: tree)
    let member = try #require(page.members.first)
    #expect(member.path.text == "data/a/b.txt")
    #expect(
      member.url.text == "http://localhost:8080/hf/\(place)resolve/\(Self.sha)/data/a/b.txt")
  }

  @Test(arguments: [
    "../x", "a/../../x", "/etc/passwd", "a//b", "a/./b", ".", "..", "...", "", "a/", "_", "a/ ",
    String(repeating: "d/", count: 64) + "x", String(repeating: "n", count: 20_000),
  ])
  func `a path that cannot be used is counted`(path: String) throws {
    let page = try page("[{\"type\":\"file\",\"size\":1,\"path\":\"\(path)\"}]")
    #expect(page.members.isEmpty)
    #expect(page.refusedCount == 1)
  }

  @Test func `missing and bad fields are not believed`() throws {
    let page = try page(
      """
      [{"type":"file","path":"a","size":-1},{"type":"file","path":"b"},{"type":"file","size":1},
      {"type":"file","path":"c","size":7,"lfs":{"oid":"main","size":-9223372036854775808}},
      {"type":"file","path":"d","size":8,"lfs":{"oid":"0123456789abcdef0123456789abcdef"}},
      {"type":"file","path":".bashrc","size":null,"lfs":null},{"type":"unknown","path":"e"}]
      """)
    #expect(page.members.map(\.byteCount) == [nil, nil, 7, 8, nil])
    #expect(page.members.allSatisfy { $0.checksum == nil })
    #expect(page.refusedCount == 1)
    #expect(page.members.allSatisfy { !$0.path.name.hasPrefix(".") })
  }

  @Test(arguments: [
    "", "null", "1", "{}", "[1]", "[{}]", "[{\"type\":\"file\",\"path\":1}]", "[{\"type\":\"file\"",
    "[{\"type\":\"file\",\"path\":\"a\",\"size\":1e300}]", "<!doctype html><title>x</title>",
    String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
    "[{\"type\":\"file\",\"x\":" + String(repeating: "[", count: 100_000)
      + String(repeating: "]", count: 100_000) + "}]",
  ])
  func `other documents are a problem`(json: String) {
    #expect(words { try page(json) } == "it is not a list of Hugging Face")
  }

  @Test func `the words of the service are told`() {
    let json = "{\"error\":\"\(String(repeating: "x", count: 9000))\"}"
    let told = "Hugging Face says \"\(String(repeating: "x", count: 200))…\""
    #expect(words { try page(json) } == told)
  }

  @Test(arguments: [
    "https://huggingface.co/api/models/org/other/tree/\(sha)", "https://huggingface.co/",
    "https://huggingface.co/api/models/org/name/tree/main?recursive=true",
    "https://other.example/api/models/org/name/tree/\(sha)",
  ])
  func `a request of another tree is refused`(request: String) {
    #expect(words { try page("[]", request: request) } != nil)
  }

  @Test func `a request of an unknown kind is refused`() throws {
    let listing = try listing("hf://org/name")
    let request = ListingRequest(listing.first.url, stage: 2)
    #expect(words { try listing.read(ListingAnswer(request.url, []), to: request) } != nil)
  }

  // MARK: - Pages

  @Test(arguments: [
    "<https://huggingface.co/api/models/org/name/tree/main?cursor=Z%3D:1&limit=9>; rel=\"next\"",
    "<?cursor=Z%3D:1&limit=9>;rel=next", "</x>; rel=prev, <?cursor=Z%3D:1&limit=9>; rel=\"a NEXT\"",
    "</x>; title=\"a, <b>\"; rel=\"first\",<?cursor=Z%3D:1&limit=9>; title=\"x\" ; REL = \"next\"",
    // Another server, as through a mirror, or another commit: only the cursor is used.
    "<https://other.example/api/x/tree/y?cursor=Z%3D:1&limit=9#z>; rel=\"next\"",
  ])
  func `the next page is that of the cursor at the same server`(link: String) throws {
    let first = "https://huggingface.co/api/models/org/name/tree/\(Self.sha)"
    let page = try page("[]", link: link)
    #expect(page.further.map(\.url.text) == [first + "?cursor=Z%3D:1&limit=9"])
    #expect(page.further.map(\.stage) == [1])
    let request = try #require(page.further.first?.url.text)
    #expect(try self.page(Self.files, request: request).members.count == 3)
  }

  @Test func `an answer after a redirect leads to the page of the request`() throws {
    let moved = "https://elsewhere.example/api/models/new/name/tree/\(Self.sha)"
    let page = try page("[]", link: "<\(moved)?cursor=2>; rel=\"next\"", answer: moved)
    #expect(
      page.further.map(\.url.text) == [
        "https://huggingface.co/api/models/org/name/tree/\(Self.sha)?cursor=2"
      ])
  }

  @Test(arguments: ["", "<", "<x", "</x>; rel=prev", "</x>; title=next", "rel=next", ">;rel=next<"])
  func `other links lead nowhere`(link: String) throws {
    #expect(try page("[]", link: link).further.isEmpty)
  }

  @Test(arguments: [
    "</x>; rel=next", "<>; rel=next", "<?recursive=true&expand=false>; rel=next",
    "<javascript:x>; rel=next", "<https://?cursor=1>; rel=next",
  ])
  func `a list that cannot be continued is a problem`(link: String) {
    #expect(words { try page("[]", link: link) } == "its link to the next page cannot be used")
  }

  // MARK: - Time

  @Test
  func `a long tree is read in reasonable time`() throws {
    let oid = String(repeating: "a", count: 64)
    let entries = (0..<10_000).map {
      "{\"type\":\"file\",\"oid\":\"x\",\"size\":1,\"lfs\":{\"oid\":\"\(oid)\",\"size\":2},"
        + "\"path\":\"d é/\($0).bin\"}"
    }
    let page = try page("[" + entries.joined(separator: ",") + "]")
    #expect(page.members.count == 10_000)
  }

  @Test
  func `a long header is read in reasonable time`() throws {
    for piece in ["<", "<x>", "</x>; rel=prev,", "\"", ";", "<x>;\""] {
      let link = String(repeating: piece, count: 50_000)
      #expect(try page("[]", link: link).further.isEmpty)
    }
  }
}
