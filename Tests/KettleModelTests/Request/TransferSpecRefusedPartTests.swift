import Foundation
import KettleModel
import Testing

struct TransferSpecRefusedPartTests {
  private func refused(_ change: (inout TransferSpec) -> Void) throws -> String? {
    var spec = TransferSpec(url: try TransferURL.parse("https://example.org/guide.pdf").get().url)
    change(&spec)
    return spec.refusedPart
  }

  /// In the form of a reply with the request of a transfer.
  private struct Recorded: Decodable {
    var spec: TransferSpec

    init(from decoder: any Decoder) throws { spec = try TransferSpec(recorded: decoder) }
  }

  @Test(arguments: [
    #""connections":0"#, #""directory":"Downloads""#, #""login":{"user":"a:b","password":""}"#,
    #""headers":[{"name":"X:Y","value":"a"}]"#, #""options":{"silenceSeconds":86401}"#,
    #""options":{"proxy":{"url":"http://h\r\n"}}"#, #""options":{"attemptsMax":-1}"#,
    #""options":{"then":["sh","-c","{path}"]}"#, #""request":{"method":"get"}"#,
    #""session":"app","task":{"kind":"upload","conditions":[],"credentials":[]}"#,
  ])
  func `a request refuses itself when it is decoded, and a recorded one stays readable`(
    part: String
  ) throws {
    let json = Data((#"{"url":"http://h/f","# + part + "}").utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(TransferSpec.self, from: json) }
    let recorded = try JSONDecoder().decode(Recorded.self, from: json)
    #expect(recorded.spec.refusedPart != nil)
  }

  @Test func `an ordinary request with everything set is not refused`() throws {
    let part = try refused { spec in
      spec.title = "a\nb"
      spec.directory = "/home/user/My Files"
      spec.name = try? FileName(typed: "…archive.iso")
      spec.connections = 8
      spec.headers = [HeaderField(name: "Accept", value: "*/*")].compactMap { $0 }
      spec.login = Login(user: "u", password: "p:q ü")
      spec.checksum = Checksum(algorithm: .md5, hex: String(repeating: "a", count: 32))
      spec.caCertificatePath = "/etc/ssl/own.pem"
      spec.limitBytesPerSecond = 1
    }
    #expect(part == nil)
  }

  @Test func `paths must be absolute`() throws {
    #expect(try refused { $0.directory = "Downloads" } == "directory")
    #expect(try refused { $0.directory = "~/Downloads" } == "directory")
    #expect(try refused { $0.directory = "/a\0b" } == "directory")
    #expect(try refused { $0.caCertificatePath = "own.pem" } == "caCertificatePath")
  }

  @Test func `numbers must be positive`() throws {
    #expect(try refused { $0.connections = 0 } == "connections")
    #expect(try refused { $0.connections = .min } == "connections")
    #expect(try refused { $0.limitBytesPerSecond = 0 } == "limitBytesPerSecond")
  }

  @Test func `text that would change the request is refused`() throws {
    #expect(
      try refused { $0.headers = [HeaderField(received: "X", "a\nb")] } == "headers")
    #expect(try refused { $0.headers = [HeaderField(received: "X:Y", "a")] } == "headers")
    #expect(try refused { $0.login = Login(user: "a:b", password: "") } == "login")
    #expect(try refused { $0.login = Login(user: "a", password: "b\r") } == "login")
    #expect(try refused { $0.session = SessionID(rawValue: "") } == "session")
  }
}
