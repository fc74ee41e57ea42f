import Glibc
import KettleFleet
import KettleModel
import KettleRPC
import KettleSystem
import Logging
import TestSupport
import Testing

@testable import KettleDaemon

/// What a machine remembers of the files that it gives to others.
struct FleetSharingTests {
  private static let secret = String(repeating: "5", count: 64)
  private let home: String
  private let key = ClaimKey(id: FleetTransferID(rawValue: 7), epoch: 1)

  init() throws {
    var template = Array("/tmp/kettle-sharing-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
    }
    home = try #require(made)
    try write("abc")
  }

  private func write(_ text: String) throws {
    try FileReplacement.write(Array(text.utf8), to: home + "/f", mode: 0o600)
  }

  private var ports: FleetSharing.Ports {
    FleetSharing.Ports(
      stagingDirectory: home + "/staging", digest: { path throws(TransferFailure) in "of " + path })
  }

  /// Its port stays closed: nobody has the address.
  private func sharing(_ secret: String? = FleetSharingTests.secret) throws -> FleetSharing {
    let sharing = FleetSharing(
      at: try #require(ShareAddress("192.0.2.1:7070")), ports, logger: Logger(label: "test"))
    sharing.follow(secret)
    return sharing
  }

  private var published: PublishedFile {
    PublishedFile(name: "f", directory: home, byteCount: 3)
  }

  private func isGiven(by sharing: FleetSharing, id: Int64 = 7) -> Bool {
    let file = sharing.find(id)
    return file != nil
  }

  @Test func `a published file is given until it changes`() throws {
    let first = try sharing()
    #expect(!isGiven(by: first))
    #expect(first.share(key, published, known: nil).sha256 == "of \(home)/f")
    #expect(isGiven(by: first) && !isGiven(by: first, id: 8))
    first.end()
    // The next start of the service knows it.
    let second = try sharing()
    #expect(isGiven(by: second))
    try write("abcd")
    #expect(!isGiven(by: second))
    #expect(second.share(key, published, known: "known").sha256 == "known")
    #expect(isGiven(by: second))
    second.end()
  }

  @Test func `another fleet gets nothing`() throws {
    let first = try sharing()
    _ = first.share(key, published, known: nil)
    first.end()
    let other = try sharing(String(repeating: "6", count: 64))
    #expect(!isGiven(by: other))
    other.end()
    FleetSharing.forget(ports)
    let again = try sharing()
    #expect(!isGiven(by: again))
    again.end()
  }

  @Test func `what cannot be given has no digest`() throws {
    let outside = try sharing(nil)
    #expect(outside.share(key, published, known: "known").sha256 == nil)
    let sharing = try sharing()
    let object = PublishedFile(name: "f", directory: "s3://bucket/raw", byteCount: 3)
    #expect(sharing.share(key, object, known: "known").sha256 == nil)
    let missing = PublishedFile(name: "g", directory: home, byteCount: 3)
    #expect(sharing.share(key, missing, known: "known").sha256 == nil)
    sharing.end()
  }
}
