import CKettleCurl
import KettleModel
import Testing

@testable import KettleCurl

struct HostKeyTests {
  /// `ssh-keygen -l` of this key prints the fingerprint below.
  private let encoding = "AAAAC3NzaC1lZDI1NTE5AAAAIMR6wbyARZpHWmQZmf1tTa5lzGe9TvPBPFmRbNtJUbnr"
  private let shown = "SHA256:VnPMVWjfeNYtpIRfiLGuaUjFW3WtT5vn5KTnjrMNY9s"

  private func key() throws -> HostKey {
    let encoded = try #require(Base64Bytes(encoding))
    return try #require(HostKey(encoded.bytes))
  }

  @Test func `the fingerprint is shown as by ssh`() throws {
    #expect(try key().shownFingerprint == shown)
    #expect(try key().algorithm == "ssh-ed25519")
  }

  @Test func `libcurl passes a key raw or in Base64`() throws {
    let key = try key()
    let encoded = try #require(Base64Bytes(encoding))
    let raw = encoded.bytes.map { CChar(bitPattern: $0) }
    raw.withUnsafeBufferPointer { bytes in
      let found = curl_khkey(key: bytes.baseAddress, len: raw.count, keytype: CURLKHTYPE_ED25519)
      #expect(HostKey(found) == key)
    }
    Array(encoding.utf8CString).withUnsafeBufferPointer { bytes in
      for length in [0, encoding.utf8.count] {
        let found = curl_khkey(key: bytes.baseAddress, len: length, keytype: CURLKHTYPE_ED25519)
        #expect(HostKey(found) == key)
      }
    }
    #expect(HostKey(curl_khkey(key: nil, len: 5, keytype: CURLKHTYPE_ED25519)) == nil)
  }

  @Test(arguments: [[], [0, 0], [255, 255, 255, 255], [255, 255, 255, 255, 65]] as [[UInt8]])
  func `a malformed key is no crash`(_ bytes: [UInt8]) {
    #expect((HostKey(bytes)?.algorithm.utf8.count ?? 0) <= 64)
  }

  @Test func `known hosts and the user decide`() throws {
    let key = try key()
    func judgement(_ match: curl_khmatch, trusted: Set<String> = []) -> HostKeyJudgement {
      HostKeyJudgement(key, match: match, trusted: trusted)
    }
    #expect(judgement(CURLKHMATCH_OK) == .accepted)
    #expect(judgement(CURLKHMATCH_MISMATCH) == .changed(key))
    #expect(judgement(CURLKHMATCH_MISSING) == .unknown(key))
    #expect(judgement(CURLKHMATCH_MISSING, trusted: [key.fingerprint]) == .accepted)
    #expect(judgement(CURLKHMATCH_MISSING, trusted: ["00"]) == .unknown(key))
    #expect(HostKeyJudgement(nil, match: CURLKHMATCH_OK, trusted: []) == .unreadable)
  }

  @Test func `the key is decided about like a certificate`() throws {
    let origin = try TransferURL.parse("sftp://h:2222/").get().url.origin
    let certificate = try key().certificate(of: origin)
    #expect(certificate.isHostKey)
    #expect(certificate.origin == "sftp://h:2222")
    #expect(certificate.key == certificate.fingerprint)
    #expect(certificate.hostKeyFingerprint == shown)
  }

  @Test func `the settings of ssh follow the environment of the service`() {
    let settings = SSHSettings(environment: ["HOME": "/h", "LOGNAME": "ann", "USER": "bob"])
    #expect(settings == SSHSettings(directory: "/h/.ssh", user: "ann"))
    #expect(settings.knownHostsPath == nil, "there is no such file")
    #expect(settings.keyFiles == [])
    #expect(SSHSettings(environment: ["HOME": ""]).directory == nil)
  }
}
