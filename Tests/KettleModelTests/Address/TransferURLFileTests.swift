import Testing

@testable import KettleModel

/// URLs of servers of files.
struct TransferURLFileTests {
  private func parsed(_ text: String) -> Result<TransferURL.Parsed, TransferURLProblem> {
    TransferURL.parse(text)
  }

  @Test(
    arguments: [
      ("ftp://h/f", 21, "ftp://h/f"), ("FTP://H/f", 21, "ftp://h/f"),
      ("ftps://h/f", 990, "ftps://h/f"), ("sftp://h/f", 22, "sftp://h/f"),
      ("sftp://h:2222/f", 2222, "sftp://h:2222/f"), ("ftp://h:21/f", 21, "ftp://h/f"),
      ("ftp://h", 21, "ftp://h/"), ("sftp://h/~/a%20b", 22, "sftp://h/~/a%20b"),
      ("ftp://h/a;type=i", 21, "ftp://h/a"), ("ftp://h/a;TYPE=I", 21, "ftp://h/a"),
      ("ftp://h/a;type=a", 21, "ftp://h/a;type=a"), ("sftp://h/a;type=i", 22, "sftp://h/a;type=i"),
      ("ftp://h/../a", 21, "ftp://h/../a"), ("ftp://h/%2Fetc/a", 21, "ftp://h/%2Fetc/a"),
      ("ftp://h/a?b", 21, "ftp://h/a?b"), ("ftp://h/d/?", 21, "ftp://h/d/?"),
    ] as [(String, Int, String)])
  func `a URL is kept as it is`(text: String, port: Int, kept: String) throws {
    let url = try parsed(text).get().url
    #expect(url.text == kept)
    #expect(url.port == port)
    #expect(try parsed(kept).get().url == url)
  }

  @Test func `the login is separated`() throws {
    for scheme in TransferURL.Scheme.allCases {
      let both = try parsed("\(scheme.rawValue)://ann:s%40cret@h/f").get()
      #expect(both.login == Login(user: "ann", password: "s@cret"))
      #expect(both.url.text == "\(scheme.rawValue)://h/f")
    }
    #expect(try parsed("sftp://ann@h/f").get().login == Login(user: "ann", password: ""))
  }

  /// A line break would begin another command.
  @Test(arguments: ["%0D%0ADELE%20a", "a%0Ab", "a%00", "a%7F", "a%1Bb", "a?b%0D%0Ac"])
  func `control characters are refused`(path: String) {
    for scheme in ["ftp", "ftps", "sftp"] {
      #expect(parsed("\(scheme)://h/\(path)") == .failure(.controlCharacter))
    }
    #expect((try? parsed("http://h/\(path)").get()) != nil)
  }

  @Test func `a malformed escape is refused`() {
    #expect(parsed("ftp://h/a%zz") == .failure(.characterForbidden("%")))
  }

  @Test(arguments: ["ftp://h/d/", "ftps://h/d/e/", "sftp://h/~/"])
  func `a directory is refused`(text: String) {
    #expect(parsed(text) == .failure(.directory))
  }

  @Test func `a host key is told from a certificate by its origin`() {
    func certificate(_ origin: String) -> ServerCertificate {
      ServerCertificate(
        origin: origin, fingerprint: String(repeating: "00", count: 32), key: "", subject: "",
        issuer: "")
    }
    #expect(certificate("sftp://h").isHostKey)
    #expect(!certificate("https://h").isHostKey)
    #expect(!certificate("ftps://h").isHostKey)
    let digits = String(repeating: "A", count: 43)
    #expect(certificate("sftp://h").hostKeyFingerprint == "SHA256:" + digits)
    var broken = certificate("sftp://h")
    broken.fingerprint = "é1"
    #expect(broken.hostKeyFingerprint.hasPrefix("SHA256:"))
  }
}
