import Testing

@testable import KettleModel

struct MetalinkTests {
  private static let namespace = "urn:ietf:params:xml:ns:metalink"

  private func read(_ text: String) throws(MetalinkProblem) -> [MetalinkFile] {
    try MetalinkFile.read(Array(text.utf8))
  }

  private func document(_ content: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metalink xmlns=\"\(Self.namespace)\">\n\(content)\n</metalink>\n"
  }

  private func problem(_ text: String) -> MetalinkProblem? {
    do {
      _ = try read(text)
      return nil
    } catch {
      return error
    }
  }

  private func urls(_ file: MetalinkFile?) -> [String] { file?.urls.map(\.url.text) ?? [] }

  @Test func `a file has its name, size, strongest digest and URLs by priority`() throws {
    let sha256 = String(repeating: "ab", count: 32)
    let files = try read(
      document(
        """
        <!-- made by hand -->
        <generator>x</generator>
        <file name="disk.iso">
          <identity>Disk</identity><size> 1048576 </size>
          <hash type="md5">\(String(repeating: "0", count: 32))</hash>
          <hash type="sha-256">\(sha256)</hash>
          <hash type="sha-1">\(String(repeating: "1", count: 40))</hash>
          <pieces length="65536" type="sha-512"><hash>\(String(repeating: "c", count: 128))</hash></pieces>
          <url>http://last.example/disk.iso</url>
          <url location="de" priority="2">http://b.example/disk.iso?x=1&amp;y=2</url>
          <url priority="1"><![CDATA[https://a.example/disk.iso]]></url>
          <url priority="1">sftp://f.example/disk.iso</url>
        </file>
        """))
    let file = try #require(files.first)
    #expect(files.count == 1)
    #expect(file.name?.text == "disk.iso")
    #expect(file.byteCount == 1_048_576)
    #expect(file.checksum?.text == "sha256:\(sha256)")
    #expect(
      urls(file) == [
        "https://a.example/disk.iso", "http://b.example/disk.iso?x=1&y=2",
        "http://last.example/disk.iso",
      ])
  }

  private func pieces(_ size: String, _ lists: String) throws -> PieceHashes? {
    try read(document("<file name='f'>\(size)\(lists)<url>http://a.example/</url></file>"))
      .first?.pieces
  }

  private func list(_ type: String, _ length: String, _ digits: Int, _ letters: String...) -> String
  {
    let hashes = letters.map { "<hash>\(String(repeating: $0, count: digits))</hash>" }
    return "<pieces length=\"\(length)\" type=\"\(type)\">\(hashes.joined())</pieces>"
  }

  @Test func `pieces are those of the strongest list that fits the size`() throws {
    let found = try #require(
      try pieces(
        "<size>20</size>",
        list("sha-512", "8", 128, "c") + list("sha-1", "8", 40, "a", "B", "c")
          + list("md5", "8", 32, "a", "b", "c")))
    #expect(found.form == .digest(.sha1))
    #expect(found.count == 3)
    #expect(found.digest(of: 1) == ArraySlice(repeating: 0xBB, count: 20)[0..<20])
    #expect(found.range(of: 2) == ByteRange(lower: 16, upper: 20))
  }

  @Test func `pieces that cannot be right are not used`() throws {
    let good = list("sha-1", "8", 40, "a", "b")
    #expect(try pieces("<size>16</size>", good) != nil)
    #expect(try pieces("", good) == nil)
    #expect(try pieces("<size>17</size>", good) == nil)
    #expect(try pieces("<size>8</size>", good) == nil)
    for wrong in ["0", "-8", "", "x", "9223372036854775807", "99999999999999999999"] {
      #expect(try pieces("<size>16</size>", list("sha-1", wrong, 40, "a", "b")) == nil)
    }
    #expect(try pieces("<size>16</size>", list("sha-1", "8", 39, "a", "b")) == nil)
    #expect(try pieces("<size>16</size>", list("tiger", "8", 40, "a", "b")) == nil)
    let cut = "<pieces length='8' type='sha-1'><hash>\(String(repeating: "a", count: 40))</hash>"
    #expect(try pieces("<size>16</size>", cut + "<hash>no</hash></pieces>") == nil)
  }

  @Test func `prefixes stand for namespaces, and other namespaces are skipped`() throws {
    let files = try read(
      """
      <m:metalink xmlns:m="\(Self.namespace)" xmlns:o="urn:other"><m:file name='a'>
      <o:url>http://no.example/</o:url><m:url>http://yes.example/</m:url><url>http://no.example/</url>
      </m:file></m:metalink>
      """)
    #expect(urls(files.first) == ["http://yes.example/"])
  }

  // Fault 151
  @Test(arguments: [
    ("../../.bash_aliases", "_bash_aliases"), ("a/b/c.iso", "c.iso"), ("C:\\x\\y.iso", "y.iso"),
    ("..", nil), ("a/", nil), ("", nil), ("x&#10;y", "x_y"), ("&lt;&#x41;&#66;&gt;", "_AB_"),
    ("-rf", "_rf"), ("~", nil), ("a&#x202E;gpj.exe", "a_gpj.exe"), ("con", "_con"),
  ])
  func `a name obeys the rules for names from servers`(given: String, name: String?) throws {
    let files = try read(document("<file name=\"\(given)\"><url>http://a.example/</url></file>"))
    #expect(files.first?.name?.text == name)
    #expect(files.first?.name?.origin != .user)
  }

  @Test func `the transfer gets the URLs after the first as copies with their reach`() throws {
    let list = (0..<100).map { "<url priority=\"\($0 + 1)\">http://m\($0).example/f</url>" }
    let file = try #require(
      try read(document("<file name=\"f\">\(list.joined())</file>")).first)
    var spec = TransferSpec(url: try #require(file.urls.first).url)
    file.complete(&spec, namedBy: .world)
    #expect(spec.url.text == "http://m0.example/f")
    #expect(spec.name == FileName(foreign: "f"))
    #expect(spec.options.mirrors.isEmpty)
    let copies = try #require(spec.options.described?.copies)
    #expect(copies.count == TransferOptions.mirrorCountMax)
    #expect(copies.first?.url.text == "http://m1.example/f")
    #expect(copies.allSatisfy { $0.minimumReach == .world })
    let mine = try FileName(typed: ".mine")
    spec.name = mine
    file.complete(&spec, namedBy: .world)
    #expect(spec.name == mine)
  }

  @Test func `a document type is refused, and so is every entity of its own`() {
    let bomb = "<!DOCTYPE m [<!ENTITY a \"aaaa\">]>" + document("<file name=\"&a;\"/>")
    #expect(problem(bomb) == .xml(.documentType))
    #expect(
      problem(document("<file name=\"f\"><url>&a;</url></file>")) == .xml(.malformed(line: 3)))
  }

  @Test(arguments: [
    "", "<", "<a", "<metalink", "<metalink>", "</metalink>", "text", "<a><b></a></b>", "<a b>",
    "<a b=c/>", "<a b='1' b='2'/>", "<a/><b/>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>& </a>",
    "<!-- ", "<?xml", "<a><![CDATA[</a>", "<a b='<'/>",
  ])
  func `malformed text is refused with its line`(text: String) {
    switch problem(text) {
    case .xml(.malformed), .notMetalink: break
    default: Issue.record("\(text): \(String(describing: problem(text)))")
    }
  }

  @Test func `what is no Metalink says what it is`() {
    #expect(problem("<html xmlns=\"http://www.w3.org/1999/xhtml\"/>") == .notMetalink)
    #expect(
      problem("<metalink version=\"3.0\" xmlns=\"http://www.metalinker.org/\"></metalink>")
        == .oldVersion)
    #expect(problem(document("")) == .empty)
    #expect(
      problem(document("<file name=\"f\"><url>rsync://a.example/f</url></file>")) == .noURL("f"))
    #expect(problem(document("\u{FFFD}")) == .empty)
  }

  @Test func `nesting, size and counts are bounded`() {
    let deep = String(repeating: "<a>", count: 1000)
    #expect(problem(document(deep)) == .xml(.tooDeep))
    let file = "<file name=\"f\"><url>http://a.example/</url></file>"
    #expect(
      problem(document(String(repeating: file, count: MetalinkFile.fileCountMax + 1)))
        == .tooManyFiles)
    do {
      _ = try MetalinkFile.read([UInt8](repeating: 32, count: MetalinkFile.byteCountMax + 1))
      Issue.record("It is read")
    } catch {
      #expect(error == .tooLarge)
    }
    do {
      _ = try MetalinkFile.read([60, 0xFF, 0xFE])
      Issue.record("It is read")
    } catch {
      #expect(error == .notText)
    }
  }

  @Test func `every prefix of a document is read without harm`() {
    let text = document(
      "<file name=\"f&amp;g\"><size>1</size><url priority=\"1\">http://a.example/</url></file>")
    let bytes = Array(text.utf8)
    for count in 0..<(bytes.count - 2) {
      #expect(throws: MetalinkProblem.self) { try MetalinkFile.read(Array(bytes.prefix(count))) }
    }
  }
}
