import Foundation
import Testing

@testable import KettleModel

struct TransferSpecTests {
  private func url() throws -> TransferURL { try TransferURL.parse("http://h/f").get().url }

  private func full() throws -> TransferSpec {
    var spec = TransferSpec(url: try url())
    spec.session = SessionID(rawValue: "org.example.app")
    spec.title = "Title"
    spec.directory = "/tmp"
    spec.name = try FileName(typed: "f")
    spec.connections = 3
    spec.headers = [try #require(HeaderField("K: V"))]
    spec.login = Login(user: "u", password: "p")
    spec.checksum = Checksum("md5:d41d8cd98f00b204e9800998ecf8427e")
    spec.caCertificatePath = "/tmp/ca.pem"
    spec.trustedServers = [
      TrustedServer(origin: "https://nas.local", key: String(repeating: "0f", count: 32))
    ]
    spec.limitBytesPerSecond = 1_024
    spec.notBefore = WallTime(millisecondsSince1970: 5)
    spec.priority = .high
    spec.onConflict = .skip
    spec.beginning = .paused
    spec.options.attemptsMax = 3
    spec.options.proxy = .direct
    spec.request = RequestContent(method: "PUT", body: .bytes(Base64Bytes([1, 2])))
    spec.task = TaskOptions(kind: .upload)
    return spec
  }

  @Test func `a full spec survives coding`() throws {
    let spec = try full()
    let data = try JSONEncoder().encode(spec)
    #expect(try JSONDecoder().decode(TransferSpec.self, from: data) == spec)
  }

  /// In the form of a message for many URLs.
  private struct Template: Codable, Hashable {
    static let other = "https://example.org/other"
    var spec: TransferSpec

    init(spec: TransferSpec) { self.spec = spec }
    init(from decoder: any Decoder) throws {
      spec = try TransferSpec(
        url: TransferURL.parse(Self.other).get().url, template: decoder)
    }
    func encode(to encoder: any Encoder) throws { try spec.encodeTemplate(to: encoder) }
  }

  @Test func `a template contains everything except the URL`() throws {
    let spec = try full()
    let data = try JSONEncoder().encode(Template(spec: spec))
    var expected = spec
    expected.source = ChainedURL(given: try TransferURL.parse(Template.other).get().url)
    #expect(try JSONDecoder().decode(Template.self, from: data).spec == expected)

    let whole = try JSONSerialization.jsonObject(with: JSONEncoder().encode(spec))
    let members = try JSONSerialization.jsonObject(with: data)
    let names = try #require(whole as? [String: Any]).keys.filter { $0 != "url" }.sorted()
    #expect(try #require(members as? [String: Any]).keys.sorted().elementsEqual(names))
  }

  @Test func `missing properties get their defaults`() throws {
    let spec = try JSONDecoder().decode(
      TransferSpec.self, from: Data(#"{"url": "http://h/f"}"#.utf8))
    #expect(spec == TransferSpec(url: try url()))
    #expect(spec.session == .kettle)
    #expect(spec.priority == .normal)
    #expect(spec.onConflict == .rename)
    #expect(spec.beginning == .queued)
  }

  @Test(arguments: [
    #"{}"#, #"{"url": "nfs://h/"}"#, #"{"url": "http://h/", "priority": {"value": 2}}"#,
    #"{"url": "http://h/", "onConflict": "ask"}"#, #"{"url": "http://h/", "connections": "3"}"#,
    #"{"url": "http://h/", "headers": [{"name": "A", "value": "b\n"}]}"#,
  ])
  func `a spec with an invalid part is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(TransferSpec.self, from: Data(json.utf8))
    }
  }

  // Fault 152
  @Test func `the reach of a URL that a server has named is encoded with it`() throws {
    var named = TransferSpec(url: try url())
    named.source = ChainedURL(try url(), namedBy: .world)
    named.options.described = DescribedFile(
      copies: [ChainedURL(try url(), namedBy: .network)], byteCount: 5)
    let data = try JSONEncoder().encode(named)
    #expect(try JSONDecoder().decode(TransferSpec.self, from: data) == named)
  }

  @Test func `a URL without a reach is the user's`() throws {
    let data = Data(#"{"url":"http://h/f","options":{"mirrors":["http://m/f"]}}"#.utf8)
    let spec = try JSONDecoder().decode(TransferSpec.self, from: data)
    #expect(spec.source.minimumReach == .machine)
    #expect(spec.options.otherSources.map(\.minimumReach) == [.machine])
  }
}
