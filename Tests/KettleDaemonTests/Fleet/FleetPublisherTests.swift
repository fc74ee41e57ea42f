import Glibc
import KettleEngine
import KettleFiles
import KettleFleet
import KettleModel
import KettleSystem
import TestSupport
import Testing

@testable import KettleDaemon

/// Publishing for a fleet, with real directories and an object store in memory.
struct FleetPublisherTests {
  private let home: String
  private let objects = InMemoryObjectStore()
  private let publisher: FleetPublisher
  private let settings: FleetSettings
  private let bucket = "s3://bucket/raw"

  init() throws {
    var template = Array("/tmp/kettle-publisher-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
    }
    home = try #require(made)
    mkdir(home + "/share", 0o700)
    publisher = FleetPublisher(objects: objects, stagingDirectory: home + "/staging")
    settings = FleetSettings(
      database: "", name: "a", secret: "", labels: [], take: 1, roots: [home + "/share", bucket])
  }

  private func claim(_ id: Int64, epoch: Int64, host: Int64 = 1) -> ClaimDirectory {
    ClaimDirectory(
      fleet: "f0", host: FleetHostID(rawValue: host),
      key: ClaimKey(id: FleetTransferID(rawValue: id), epoch: epoch))
  }

  private func stage(
    _ claim: ClaimDirectory, for destination: String, byteCount: Int = 4
  ) throws -> CompleteFile {
    let directory = publisher.stagingDirectory(of: claim, for: destination)
    var path = ""
    for component in directory.split(separator: "/") {
      path += "/" + component
      mkdir(path, 0o700)
    }
    try FileReplacement.write(
      [UInt8](repeating: 7, count: byteCount), to: directory + "/f.bin", mode: 0o644)
    return try publisher.inspect(directory + "/f.bin")
  }

  private func publish(
    _ claim: ClaimDirectory, _ file: CompleteFile, _ directory: String
  ) -> PublicationResult {
    publisher.publish(
      claim, file, directory: directory, replacing: false, shouldStop: { false })
  }

  @Test func `two claims of one transfer publish one file`() throws {
    let share = home + "/share"
    let first = try stage(claim(5, epoch: 1, host: 1), for: share)
    let second = try stage(claim(5, epoch: 2, host: 2), for: share)
    let done = PublicationResult.published(
      PublishedFile(name: "f.bin", directory: share, byteCount: 4))
    #expect(publish(claim(5, epoch: 1), first, share) == done)
    #expect(publish(claim(5, epoch: 2), second, share) == done)
    let other = try stage(claim(6, epoch: 1), for: share)
    #expect(publish(claim(6, epoch: 1), other, share) == .taken(next: "f (2).bin"))
  }

  @Test func `an object is published once, and recognized by its mark`() throws {
    let first = try stage(claim(5, epoch: 1), for: bucket)
    let done = PublicationResult.published(
      PublishedFile(name: "f.bin", directory: bucket, byteCount: 4))
    #expect(publish(claim(5, epoch: 1), first, bucket) == done)
    #expect(publish(claim(5, epoch: 2), first, bucket) == done)
    #expect(publish(claim(6, epoch: 1), first, bucket) == .taken(next: "f (2).bin"))
    #expect(objects.objects.count == 1)
    let earlier = EarlierPlacing(
      host: FleetHostID(rawValue: 1), epoch: 1, name: "f.bin", byteCount: 4,
      modifiedNanoseconds: nil, directory: bucket)
    #expect(publisher.look(for: claim(5, epoch: 3), earlier, in: settings) != nil)
    #expect(publisher.look(for: claim(6, epoch: 1), earlier, in: settings) == nil)
  }

  @Test func `the upload of a large file goes on after a restart, and begins again if it is gone`()
    throws
  {
    let file = try stage(
      claim(5, epoch: 1), for: bucket, byteCount: Int(ObjectUpload.wholeByteCountMax) + 1)
    objects.fail(.send, with: TransferFailure(.cancelled, on: "f.bin"))
    guard case .failed = publish(claim(5, epoch: 1), file, bucket) else {
      Issue.record("the upload was not stopped")
      return
    }
    #expect(objects.callCount(.begin) == 1)
    objects.fail(.send, with: TransferFailure(.uploadGone, on: "f.bin"))
    let result = publish(claim(5, epoch: 1), file, bucket)
    #expect(
      result
        == .published(
          PublishedFile(name: "f.bin", directory: bucket, byteCount: file.byteCount)))
    #expect(objects.callCount(.begin) == 2)
  }

  @Test func `what the queue says of an earlier placing leads nowhere else`() throws {
    try FileReplacement.write([1, 2, 3, 4], to: home + "/secret", mode: 0o644)
    for (name, directory) in [("secret", home), ("../secret", home + "/share"), ("secret", "/")] {
      let earlier = EarlierPlacing(
        host: FleetHostID(rawValue: 1), epoch: 1, name: name, byteCount: 4,
        modifiedNanoseconds: try? publisher.inspect(home + "/secret").modifiedNanoseconds,
        directory: directory)
      #expect(publisher.look(for: claim(5, epoch: 2), earlier, in: settings) == nil)
    }
  }

  @Test func `a claim leaves nothing behind`() throws {
    let share = home + "/share"
    let file = try stage(claim(5, epoch: 1), for: share)
    _ = publish(claim(5, epoch: 1), file, share)
    publisher.discard(claim(5, epoch: 1), for: share)
    #expect(access(share + "/" + StagedFile.directoryName, F_OK) != 0)
    #expect((try? publisher.inspect(share + "/f.bin"))?.byteCount == 4)
  }
}
