import Foundation
import KettleModel
import Testing

struct OptionsRefusedPartTests {
  private func refused(_ change: (inout TransferOptions) -> Void) throws -> String? {
    var spec = TransferSpec(url: try TransferURL.parse("http://h/f").get().url)
    change(&spec.options)
    return spec.refusedPart
  }

  @Test func `options that no service may act on are refused`() throws {
    #expect(try refused { $0.silenceSeconds = 0 } == "options.silenceSeconds")
    #expect(try refused { $0.connectSeconds = -1 } == "options.connectSeconds")
    #expect(try refused { $0.retryDelaySeconds = 86_401 } == "options.retryDelaySeconds")
    #expect(try refused { $0.attemptsMax = -1 } == "options.attemptsMax")
    #expect(try refused { $0.proxy = .server("http://h\r\n") } == "options.proxy")
    for variable in ["http_proxy", "https_proxy", "ftp_proxy", "no_proxy"] {
      let values = ProxyEnvironment([variable: "http://h\r\n"])
      #expect(try refused { $0.proxy = .environment(values) } == "options.proxy")
    }
    #expect(
      try refused { $0.cookies = [Cookie(name: "a", value: "b\r\nX: y", domain: "h")] }
        == "options.cookies")
    #expect(
      try refused { $0.certificate = ClientCertificate(certificatePath: "me.pem", keyPath: "/k") }
        == "options.certificate")
  }

  @Test func `options within their bounds are accepted`() throws {
    #expect(
      try refused {
        $0.silenceSeconds = TransferOptions.secondsMax
        $0.attemptsMax = 0
        $0.proxy = .environment(ProxyEnvironment(["all_proxy": "socks5h://h:1"]))
        $0.cookies = [Cookie(name: "a", value: "b", domain: "h")]
        $0.permissions = FilePermissions(mask: 0o077)
      } == nil)
  }

  @Test func `only a person's own transfer has a program to start`() throws {
    let command = try HookCommand.make(["unpack", "{path}"]).get()
    #expect(try refused { $0.then = command } == nil)
    #expect(
      try refused {
        $0.then = command
        $0.rpc = RPCOptions()
      } == "options.then")
    let forShell = try JSONDecoder().decode(
      HookCommand.self, from: Data(#"["sh","-c","{path}"]"#.utf8))
    #expect(try refused { $0.then = forShell } == "options.then")
    var spec = TransferSpec(url: try TransferURL.parse("http://h/f").get().url)
    spec.session = SessionID(rawValue: "app")
    spec.task = TaskOptions(kind: .download)
    spec.options.then = command
    #expect(spec.refusedPart == "options.then")
  }

  @Test func `too many mirrors, and mirrors of anything but a plain GET are refused`() throws {
    let mirror = try TransferURL.parse("http://m/f").get().url
    let most = Array(repeating: mirror, count: TransferOptions.mirrorCountMax)
    #expect(try refused { $0.mirrors = most } == nil)
    #expect(try refused { $0.mirrors = most + [mirror] } == "options.mirrors")
    let copy = DescribedFile(copies: [ChainedURL(mirror, namedBy: .world)])
    let counts = try refused {
      $0.mirrors = most
      $0.described = copy
    }
    #expect(counts == "options.mirrors")
    #expect(
      try refused { $0.described = DescribedFile(copies: [], byteCount: -1) }
        == "options.described.byteCount")
    var spec = TransferSpec(url: mirror)
    spec.options.mirrors = [mirror]
    spec.request = RequestContent(method: "POST", body: .bytes(Base64Bytes([1])))
    #expect(spec.refusedPart == "options.mirrors")
    spec.request = nil
    spec.session = SessionID(rawValue: "app")
    spec.task = TaskOptions(kind: .download)
    #expect(spec.refusedPart == nil)
    spec.task = TaskOptions(kind: .upload)
    #expect(spec.refusedPart == "options.mirrors")
  }

  @Test func `only the service makes a transfer that repairs a file`() throws {
    let target = try #require(
      RepairTarget(
        transfer: TransferID(rawValue: 1), path: "/home/u/a",
        identity: FileIdentity(device: 1, inode: 1, byteCount: 9, modifiedNanoseconds: 0),
        damaged: ByteRangeSet(prefix: 9)))
    #expect(try refused { $0.repairs = target } == "options.repairs")
    let outside = RepairTarget(
      transfer: TransferID(rawValue: 1), path: "/home/u/a", identity: target.identity,
      damaged: ByteRangeSet(prefix: 10))
    #expect(outside == nil)
  }

  @Test func `pieces that only the store may have are refused`() throws {
    let pieces = try #require(
      PieceHashes(
        .digest(.sha1), pieceByteCount: 9, of: 9, digests: [UInt8](repeating: 1, count: 20)))
    func refused(_ pieces: DescribedPieces, byteCount: Int64?) throws -> String? {
      try self.refused {
        $0.described = DescribedFile(copies: [], byteCount: byteCount, pieces: pieces)
      }
    }
    #expect(try refused(.given(pieces), byteCount: 9) == nil)
    #expect(try refused(.given(pieces), byteCount: 8) == "options.described.pieces")
    #expect(try refused(.given(pieces), byteCount: nil) == "options.described.pieces")
    let stored = DescribedPieces.stored(DescribedPieces.given(pieces).outline)
    #expect(try refused(stored, byteCount: 9) == "options.described.pieces")
  }
}
