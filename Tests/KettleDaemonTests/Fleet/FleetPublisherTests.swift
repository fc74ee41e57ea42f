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
    publisher = FleetPublisher(
      objects: objects, files: POSIXFileStorage(documentsDirectory: home),
      stagingDirectory: home + "/staging")
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

  // MARK: Comparing

  private func compare(
    _ errand: FileErrand, of owner: ClaimDirectory? = nil
  ) -> FileCheck {
    publisher.compare(
      errand, of: owner ?? claim(5, epoch: 1), in: settings,
      at: WallTime(millisecondsSince1970: 3), shouldStop: { false })
  }

  /// A published file of two and a half MiB, and what its host is asked.
  private func published() throws -> (path: String, errand: FileErrand) {
    let share = home + "/share"
    let file = try stage(claim(5, epoch: 1), for: share, byteCount: 5 << 19)
    _ = publish(claim(5, epoch: 1), file, share)
    let path = share + "/f.bin"
    let digests = try publisher.files.digests(ofFileAt: path) { _ in true }
    let proof = FileProof(
      modifiedNanoseconds: file.modifiedNanoseconds, byteCount: file.byteCount,
      BlockDigests(digests))
    let key = claim(5, epoch: 1).key
    return (
      path,
      FileErrand(
        key: key, name: "f.bin", directory: share, byteCount: file.byteCount, proof: proof)
    )
  }

  /// Changes a byte, and gives the file its time again if `isSecret`.
  private func write(_ path: String, at offset: off_t, isSecret: Bool) {
    guard let file = OwnedDescriptor(opened: open(path, O_RDWR | O_CLOEXEC)) else {
      Issue.record("\(path) cannot be opened")
      return
    }
    var before = stat()
    fstat(file.number, &before)
    let byte: [UInt8] = [1]
    let count = pwrite(file.number, byte, byte.count, offset)
    #expect(count == 1)
    var later = before.st_mtim
    if !isSecret { later.tv_sec += 7 }
    futimens(file.number, [later, later])
  }

  @Test func `a published file is compared with the digests of its download`() throws {
    let (path, errand) = try published()
    #expect(compare(errand).finding == .intact)
    write(path, at: 1 << 20, isSecret: true)
    let damaged = compare(errand)
    #expect(damaged.finding == .damaged)
    #expect(damaged.damaged?.ranges.map(\.lower) == [1 << 20])
    write(path, at: 0, isSecret: false)
    #expect(compare(errand).finding == .edited)
    unlink(path)
    #expect(compare(errand).finding == .missing)
    mkdir(path, 0o700)
    #expect(compare(errand).finding == .unreadable)
  }

  @Test func `without digests the size and the time of a file count`() throws {
    var (path, errand) = try published()
    errand.proof?.blocks = nil
    #expect(compare(errand).finding == .unproved)
    write(path, at: 0, isSecret: false)
    #expect(compare(errand).finding == .edited)
  }

  @Test func `nothing outside of the roots is read for the table`() throws {
    var (_, errand) = try published()
    errand.directory = home
    #expect(compare(errand).finding == .unreadable)
    errand.directory = home + "/share"
    for name in ["../f.bin", ".kettle-fleet", "a/b", ""] {
      errand.name = name
      #expect(compare(errand).finding == .unreadable, "\(name)")
    }
  }

  @Test func `an object is recognized by its mark`() throws {
    let file = try stage(claim(5, epoch: 1), for: bucket)
    _ = publish(claim(5, epoch: 1), file, bucket)
    let errand = FileErrand(
      key: claim(5, epoch: 1).key, name: "f.bin", directory: bucket, byteCount: 4, proof: nil)
    #expect(compare(errand).finding == .intact)
    #expect(compare(errand, of: claim(6, epoch: 1)).finding == .missing)
  }
}
