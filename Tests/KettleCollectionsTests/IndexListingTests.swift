import KettleModel
import Testing

@testable import KettleCollections

struct IndexListingTests {
  static let url = "http://files.example/pub/"

  private func adapter(_ name: String = url) throws -> IndexListing {
    let source = try #require(
      try IndexListing.source(named: name, in: CollectionEnvironment([:]))?.get())
    return try #require(IndexListing(source))
  }

  private func url(_ text: String) throws -> TransferURL {
    try TransferURL.parse(text).get().url
  }

  /// Reads a document as that of the first request.
  func read(
    _ document: some StringProtocol, type: String? = "text/html", at address: String = url,
    directory: [String] = [], of source: String = url
  ) throws -> ListingPage {
    let answer = ListingAnswer(try url(address), Array(document.utf8), mediaType: type)
    let request = ListingRequest(
      try url(address), directory: directory, depth: directory.count)
    return try adapter(source).read(answer, to: request)
  }

  /// The links of a page of links.
  func read(links: [String], at address: String = url) throws -> ListingPage {
    // A page without any file is a problem, so there is one.
    let page = (links + ["known"]).map { "<a href=\"\($0)\">x</a>\n" }.joined()
    return try read("<html><body>\(page)</body></html>", at: address)
  }

  private func problem(_ work: () throws -> ListingPage) -> String? {
    do {
      _ = try work()
      return nil
    } catch {
      return (error as? ListingProblem)?.words
    }
  }

  func files(_ page: ListingPage) -> [String] { page.members.map(\.path.text) }
  func addresses(_ page: ListingPage) -> [String] { page.members.map(\.url.text) }
  func directories(_ page: ListingPage) -> [String] { page.further.map(\.url.text) }

  // MARK: - Sources

  @Test func `a URL of a web server that ends with a slash names a source`() throws {
    let named = try IndexListing.source(
      named: "HTTPS://Files.example/pub/", in: CollectionEnvironment([:]))?.get()
    let source = try #require(named)
    #expect(source.kind == .index)
    #expect(source.name == "https://files.example/pub/")
    #expect(source.url.text == source.name)
    let adapter = try #require(IndexListing(source))
    #expect(adapter.first == ListingRequest(source.url))
    #expect(adapter.byteCountMax == 16_777_216)
  }

  @Test(arguments: [
    "https://files.example/pub", "https://files.example/pub/a.iso", "ftp://files.example/pub/",
    "files.example/pub/", "/pub/", "", "hf://org/model/",
  ])
  func `other text names no source`(text: String) {
    #expect(IndexListing.source(named: text, in: CollectionEnvironment([:])) == nil)
  }

  @Test func `a source whose parts disagree is refused`() throws {
    let here = try url(Self.url)
    #expect(IndexListing(CollectionSource(.index, name: Self.url, url: here)) != nil)
    #expect(IndexListing(CollectionSource(.bucket, name: Self.url, url: here)) == nil)
    #expect(IndexListing(CollectionSource(.index, name: "/pub/", url: here)) == nil)
    let other = try url("http://other.example/pub/")
    #expect(IndexListing(CollectionSource(.index, name: Self.url, url: other)) == nil)
  }

  // MARK: - Hostile links

  @Test(arguments: [
    // Up, in every spelling.
    "../", "..", "../x", "./../x", "a/../../x", "%2e%2e/x", "%2E%2e/x", ".%2e/x", "a/%2e%2e/../x",
    "..\\x", "..\\..\\x", "a\\..\\..\\x", "/", "/x", "/pub", "/pub/../x", "/pub/%2e%2e/x",
    "http://files.example/pub/../x", "http://files.example/pub/%2e%2e/x", "&#46;&#46;/x",
    "&#x2e;&#x2E;&#x2F;x", "%2e%2e%2fx/..", "/pub/a/../../pubs/x", "/PUB/x", "/pub2/x",
    // The page itself.
    "", ".", "./", "/pub/", "#top", "?", "?C=N;O=D", "?C=N&amp;O=D", "%2e/", "a/..", "//", ".//",
    "http://files.example/pub/", "http://FILES.example:80/pub/#x",
    // Elsewhere.
    "//other.example/pub/x", "\\\\other.example\\pub\\x", "http://other.example/pub/x",
    "https://files.example/pub/x", "http://files.example:8080/pub/x", "ftp://files.example/pub/x",
    "http://files.example.other.example/pub/x", "http:///pub/x", "http://[::1]/pub/x",
    // No address of a file.
    "javascript:alert(1)", "JavaScript:x/", " javascript:x", "data:text/plain,x", "mailto:a@b.c",
    "file:///etc/passwd", "a?download", "a?", "sub/?x=1", "x\u{0}y", "x\ny", "about:blank",
    // Deeper than a child.
    "a/b", "a/b/", "a%2Fb/c", "a\\b",
  ])
  func `a link that does not lead to a child is ignored`(link: String) throws {
    let page = try read(links: [link])
    #expect(files(page) == ["known"])
    #expect(page.further.isEmpty)
    #expect(page.refusedCount == 0)
  }

  @Test(arguments: [
    "a", "./a", "/pub/a", "//files.example/pub/a", "http://files.example/pub/a", "\\pub\\a",
    "http://files.example:80/pub/a", "../pub/a", "b/../a", "%2e/a", "/x/%2e%2e/pub/a", "a#top",
    " a ", "%61", "/%70ub/a", "/pub//a", "http://user:secret@files.example/pub/a", "&#97;",
  ])
  func `every spelling of a child is that child`(link: String) throws {
    let page = try read(links: [link, "a"])
    #expect(files(page) == ["a", "known"])
    #expect(page.members.allSatisfy { $0.url.query == nil && !$0.url.text.contains("#") })
  }

  @Test(arguments: [
    "http://files.example/x/../pub/", "http://files.example/./pub/", "http://[::1]:80/pub/",
    "http://files.example:8080/pub/index.html?x=/y/", "http://10.0.0.1/%70ub/",
  ])
  func `every address of a page is one that links are resolved against`(address: String) throws {
    let page = try read(links: ["a%20b", "a:b", "sub/", "../pub/c", "./d", "e:1"], at: address)
    #expect(files(page) == ["a b", "c", "d", "known"])
    #expect(page.further.count == 1)
    #expect(page.members.allSatisfy { !$0.url.path.contains("..") && $0.url.query == nil })
  }

  @Test(arguments: [
    "a%2Fb", "..%2Fb", "%2Fetc", "%2e%2e%2fx", "...", "%20", "_", "..%5C..", "a%5c",
  ])
  func `a name that cannot be one is counted and left out`(name: String) throws {
    let page = try read(links: [name, name, name + "/"])
    #expect(files(page) == ["known"])
    #expect(page.further.isEmpty)
    #expect(page.refusedCount == 2)
  }

  @Test(arguments: [
    ("a%00b", "a_b"), ("..%5Cb", "b"), ("%2ebashrc", "_bashrc"), ("-rf", "_rf"),
    ("%252e%252e", "%2e%2e"),
    ("con", "_con"), ("a%0Ab", "a_b"), ("%E9.txt", "_.txt"), ("x%", "x%"), ("caf%C3%A9", "café"),
    ("a%E2%80%AEb", "a_b"), ("100%25", "100%"), ("a+b", "a+b"), ("a%3Fb%23c", "a_b#c"),
  ])
  func `a name is decoded once and made harmless`(link: String, name: String) throws {
    let page = try read(links: [link])
    #expect(files(page) == [name, "known"])
    #expect(page.members.first?.url.text == Self.url + link)
  }

  @Test func `a long name is shortened and a longer one ignored`() throws {
    let long = String(repeating: "n", count: 5000)
    let page = try read(links: [long + ".iso", String(repeating: "m", count: 20_000), long + "/"])
    #expect(page.members.count == 2)
    #expect(page.members.first?.path.name.hasSuffix("nnn.iso") == true)
    #expect(page.members.first?.path.name.utf8.count ?? 0 <= FileName.byteCountMax)
    #expect(page.further.count == 1)
  }

  @Test func `bytes that are no UTF-8 stay those of the file`() throws {
    let answer = ListingAnswer(
      try url(Self.url), Array("<a href='caf".utf8) + [0xE9] + Array("&amp;.txt'>".utf8),
      mediaType: "text/html")
    let page = try adapter().read(answer, to: ListingRequest(answer.url))
    #expect(addresses(page) == [Self.url + "caf%E9&.txt"])
    #expect(files(page) == ["caf_&.txt"])
  }

  // MARK: - Links of a page

  @Test func `a link that is repeated counts once, however it is spelled`() throws {
    let page = try read(links: ["a%20b", "a b", "./a%20b", "sub/", "/pub/sub/", "a+b", "%61+b"])
    #expect(files(page) == ["a b", "a+b", "known"])
    #expect(directories(page) == [Self.url + "sub/"])
  }

  @Test func `directories lead to further requests`() throws {
    let page = try read(
      "<a href='c%20d/'>c</a><a href=e>e</a>", at: Self.url + "a%26/b/", directory: ["a&", "b"])
    #expect(
      page.further == [
        ListingRequest(
          try url(Self.url + "a%26/b/c%20d/"), directory: ["a&", "b", "c d"], depth: 3)
      ])
    #expect(files(page) == ["a&/b/e"])
  }

  @Test func `a path that is too deep is left out`() throws {
    let directory = Array(repeating: "d", count: MemberPath.depthMax)
    let address = Self.url + String(repeating: "d/", count: directory.count)
    let page = try read("<a href=a></a><a href=b/></a>", at: address, directory: directory)
    #expect(page.refusedCount == 2)
    #expect(page.members.isEmpty && page.further.isEmpty)
  }

  @Test func `the base of a page is used if it is of the same origin`() throws {
    let link = "<a href='b'>b</a><a href='/pub/c'>c</a>"
    func addresses(_ base: String) throws -> [String] {
      self.addresses(try read("<head>\(base)</head>\(link)"))
    }
    #expect(try addresses("<base href='/pub/'>") == [Self.url + "b", Self.url + "c"])
    #expect(try addresses("<base target=_top href='./'>") == [Self.url + "b", Self.url + "c"])
    #expect(try addresses("<base href='sub/'>") == [Self.url + "c"])
    #expect(try addresses("<base href='/'>") == [Self.url + "c"])
    #expect(try addresses("<base><base href='sub/'><base href='/pub/'>") == [Self.url + "c"])
    for other in ["http://other.example/pub/", "//other.example/", "https://files.example/pub/"] {
      #expect(try addresses("<base href='\(other)'>") == [Self.url + "b", Self.url + "c"])
    }
  }

  @Test func `the page that answers decides what its children are`() throws {
    let request = ListingRequest(try url(Self.url))
    let link = Array("<a href=a>a</a><a href=/pub/b>b</a>".utf8)
    func addresses(_ address: String, depth: Int = 0) throws -> [String] {
      var request = request
      request.depth = depth
      let answer = ListingAnswer(try url(address), link, mediaType: "text/html")
      return self.addresses(try adapter().read(answer, to: request))
    }
    let secure = "https://files.example/pub/"
    #expect(try addresses(secure) == [secure + "a", secure + "b"])
    #expect(try addresses(secure + "index.html") == [secure + "a", secure + "b"])
    #expect(try addresses(secure + "sub/") == [secure + "sub/a"])
    #expect(try addresses("http://files.example/", depth: 1) == [])
    #expect(
      throws: ListingProblem("it leads to another directory, http://files.example/login")
    ) { try addresses("http://files.example/login") }
  }

  @Test func `a page without a file is a problem only where the list begins`() throws {
    let login = "<form action='/login'><a href='/help'>Help</a></form>"
    #expect(problem { try read(login) } == "it lists no files")
    #expect(problem { try read("") } == "it lists no files")
    #expect(try read(login, at: Self.url + "a/", directory: ["a"]) == ListingPage())
  }

  // MARK: - Markup

  @Test(arguments: [
    "<a href=\"a\">", "<a href='a'>", "<a href=a>", "<A HREF=\"a\">",
    "<a\n\tclass=x\r\nHref = 'a'\n>",
    "<a class=\"x>y\" href=\"a\">", "<a title='<a href=\"b\">' href=a>", "<a/href=a>",
    "<a href=a href=b>", "<a download href=a>", "<a =x href=a>", "<a href=\"a\"class=x>",
    "<<a href=a>",
    "< a href=b><a href=a>", "<a href='a' <b>", "<a data-href=b href=a>", "<a \"href=b\" href=a>",
    "<p><!-- <a href=b> --><a href=a>", "<!--><a href=a>", "<!---><a href=a>", "<!----><a href=a>",
    "<!-- x --!><a href=a>", "<!-- -- > <a href=b> ---><a href=a>", "<!doctype html><a href=a>",
    "<?xml version='1.0'?><a href=a>", "</><a href=a>", "</ x><a href=a>",
    "<![CDATA[x]]><a href=a>",
    "<script>'<a href=b>'</script><a href=a>", "<SCRIPT>x</b><a href=b></SCRIPT ><a href=a>",
    "<script></</script><a href=a>", "<script></scripts><a href=b></script><a href=a>",
    "<style>/*<a href=b>*/</style><a href=a>", "<title><a href=b></title><a href=a>",
    "<textarea><a href=b></textarea x><a href=a>",
    "<area href=b><link href=b><abbr href=b><a href=a>",
    "<a name=top></a><a href=a>", "<a href><a href=><a href=''><a href=a>", "<a href=a/../a>",
    "<!-- unterminated <a href=b", "<a href=a><a href=\"b", "<a href=a><a href=b",
    "<a href=a><!-- <a href=b>",
    "<a href=a><script><a href=b>", "<a href=a></a", "<a href=a><", "<a href=a><!", "<a href=a><!-",
    "<a href=a></", "<a href=a><a", "<a href=a><a href", "<a href=a><a href=", "<a href=a><?",
  ])
  func `markup is read as browsers read it`(markup: String) throws {
    let expected = markup.contains("<!-- unterminated") ? [] : ["a"]
    let page = try read(markup, at: Self.url + "x/", directory: ["x"])
    #expect(page.members.map(\.path.name) == expected)
    #expect(page.further.isEmpty)
  }

  @Test(arguments: [
    ("a&amp;b", "a&b"), ("a&#38;b", "a&b"), ("a&#x26;b", "a&b"), ("a&#X26;b", "a&b"),
    ("a&b", "a&b"),
    ("a&lt;b&gt;", "a_b_"), ("&quot;a&quot;", "_a_"), ("a&apos;b", "a'b"), ("a&#39;b", "a'b"),
    ("a&copy.txt", "a&copy.txt"), ("a&amp;amp;b", "a&amp;b"), ("&#xE9;", "é"), ("a&;b", "a&;b"),
    ("a&#x110000;b", "a_b"), ("a&#xD800;b", "a_b"), ("a&#0;b", "a_b"), ("a&", "a&"),
    ("a&#x1F600;", "a😀"), ("a&amp", "a&amp"),
  ])
  func `character references are replaced`(reference: String, name: String) throws {
    #expect(files(try read(links: [reference])) == [name, "known"])
  }

  @Test func `a page may have 200000 links`() throws {
    let links = Array(String(repeating: "<a href=x>", count: HTMLLinks.countMax).utf8)
    #expect(try HTMLLinks(links).links.count == HTMLLinks.countMax)
    let page = String(repeating: "<a href=x>", count: HTMLLinks.countMax + 1)
    #expect(problem { try read(page) } == "it has more than 200000 links")
  }

  @Test func `many links below a long path are refused`() throws {
    let address = Self.url + String(repeating: "d", count: 2000) + "/"
    let links = String(repeating: "<a href=x>", count: 40_000)
    #expect(
      problem { try read(links, at: address) } == "it has too many links for a path of this length")
  }

  @Test(
    arguments: [
      "<", "</", "<!", "<!-", "<!--", "<!-->", "<a", "<a ", "<a href=", "<a href='", "<a href=\"'",
      "</script",
      "<script></", "<script><", "<title></title ", "&", "<a href='&", "<a href=&amp", "\"'",
      "<a b='\"", "--",
      "<a href=x></a>", "<a <a", "<p ", "= ", "<base href=x>", "<script>", "</a> ", "<?", "-",
    ])
  func `a page of one piece of markup takes linear time`(piece: String) throws {
    let page = String(repeating: piece, count: (1 << 15) / piece.utf8.count)
    for start in ["", "<a href='", "<!--", "<script>", "<a "] {
      let read = try self.read(start + page, at: Self.url + "x/", directory: ["x"])
      #expect(read.members.count <= 2)
    }
  }

  // MARK: - JSON

  @Test func `the JSON of nginx is read`() throws {
    let page = try read(
      """
      [
      { "name":"a&b #1%.txt", "type":"file", "mtime":"Sun, 01 Jun 2025 12:00:00 GMT", "size":12 },
      { "name":"sub dir", "type":"directory", "mtime":"Sun, 01 Jun 2025 12:00:00 GMT" },
      { "name":"\\"ü\\\\:x?", "type":"file", "mtime":"Sun, 01 Jun 2025 12:00:00 GMT", "size":5000000000 },
      { "name":"socket", "type":"other", "mtime":"Sun, 01 Jun 2025 12:00:00 GMT" },
      { "name":"..", "type":"directory" }, { "name":"", "type":"file" },
      { "name":"a/b", "type":"file", "size":1 }, { "name":"neg", "type":"file", "size":-1 }
      ]
      """, type: "application/json")
    #expect(files(page) == ["a&b #1%.txt", "_x_", "neg"])
    #expect(
      addresses(page) == [
        Self.url + "a%26b%20%231%25.txt", Self.url + "%22%C3%BC%5C%3Ax%3F", Self.url + "neg",
      ])
    #expect(page.members.map(\.byteCount) == [12, 5_000_000_000, nil])
    #expect(directories(page) == [Self.url + "sub%20dir/"])
    #expect(page.further.first?.directory == ["sub dir"])
    #expect(page.refusedCount == 1)
  }

  @Test func `the JSON of Caddy is read`() throws {
    let page = try read(
      """
      [{"name":"docs/","size":4096,"url":"./docs/","mod_time":"2025-06-01T12:00:00Z","mode":2147484141,
        "is_dir":true,"is_symlink":false},
       {"name":"old","size":4096,"url":"./old","mode":2147484141,"is_dir":true,"is_symlink":false},
       {"name":"a b&c%.txt","size":12,"url":"./a%20b&c%25.txt","mod_time":"2025-06-01T12:00:00Z",
        "mode":420,"is_dir":false,"is_symlink":false},
       {"name":"link","size":7,"url":"./link","mode":420,"is_dir":false,"is_symlink":true},
       {"name":"x","size":7,"url":"../x","mode":420,"is_dir":false,"is_symlink":false}]
      """, type: "application/json")
    #expect(files(page) == ["a b&c%.txt", "link"])
    #expect(addresses(page) == [Self.url + "a%20b&c%25.txt", Self.url + "link"])
    #expect(page.members.map(\.byteCount) == [12, nil])
    #expect(directories(page) == [Self.url + "docs/", Self.url + "old/"])
  }

  @Test func `JSON may have 200000 files`() throws {
    let items = Array(repeating: "{\"name\":\"\"}", count: HTMLLinks.countMax + 1)
    let text = "[" + items.joined(separator: ",") + "]"
    #expect(problem { try read(text, type: nil) } == "it has more than 200000 links")
    let fewer = "[" + items.dropFirst().joined(separator: ",") + "]"
    #expect(problem { try read(fewer, type: nil) } == "it lists no files")
  }

  @Test func `JSON that lists no files is a problem`() throws {
    let type = "application/json"
    #expect(problem { try read("null", type: type) } == "it lists no files")
    #expect(problem { try read("[]", type: type) } == "it lists no files")
    #expect(problem { try read("[{\"name\":\"x\"}]", type: type) } == "it lists no files")
    let malformed = "it is not a list of files in JSON"
    for text in ["{}", "", "[", "[1]", "[{\"name\":1}]", "<a href=x>", "\"x\""] {
      #expect(problem { try read(text, type: type) } == malformed)
    }
    let deep = String(repeating: "[", count: 1 << 20)
    #expect(problem { try read(deep, type: type) } == malformed)
    #expect(try read("null", type: type, at: Self.url + "a/", directory: ["a"]) == ListingPage())
  }

  @Test func `the media type decides, or else the first byte`() throws {
    let html = "\u{FEFF}\n <a href=a>"
    let json = " [{\"name\":\"a\",\"type\":\"file\"}]"
    for type in [
      nil, "text/plain", "application/octet-stream", "text/html", "application/xhtml+xml",
    ] {
      #expect(files(try read(html, type: type)) == ["a"])
    }
    for type in [nil, "text/plain", "application/octet-stream", "application/json", "text/json"] {
      #expect(files(try read(json, type: type)) == ["a"])
    }
    let others: [(String, String?)] = [
      (html, "image/png"), (json, "application/zip"), ("x", "text/plain"), ("", nil),
    ]
    for (text, type) in others {
      #expect(problem { try read(text, type: type) } == "it is neither HTML nor JSON")
    }
  }
}
