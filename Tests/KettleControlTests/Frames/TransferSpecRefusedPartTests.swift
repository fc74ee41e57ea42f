import KettleControl
import KettleModel
import Testing

struct TransferSpecRefusedPartTests {
  private func refused(_ change: (inout TransferSpec) -> Void) throws -> String? {
    var spec = try #require(ProtocolSamples.spec())
    change(&spec)
    return spec.refusedPart
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
