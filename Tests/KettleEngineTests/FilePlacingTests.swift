import KettleModel
import KettleScheduler
import TestSupport
import Testing

@testable import KettleEngine

/// Complete files that wait for their final names.
@Suite(.timeLimit(.minutes(5)))
struct FilePlacingTests {
  private let files = InMemoryFileStorage(documentsDirectory: "/d", directories: ["/other"])
  private let placing: FilePlacing
  private let events: AsyncStream<[TransferScheduler.Event]>
  private let told: AsyncStream<[TransferScheduler.Event]>.Continuation

  init() {
    placing = FilePlacing(files, on: WorkerPool("test.names", width: 4))
    (events, told) = AsyncStream.makeStream()
  }

  private func order(_ number: Int64, in directory: String = "/d") throws -> FilePlacing.Order {
    let file = try files.createPartialFile(
      in: directory, preferredName: "\(number)", onConflict: .rename)
    return FilePlacing.Order(
      id: TransferID(rawValue: number), operation: OperationID(rawValue: UInt64(number)),
      file: FileToFinish(
        resumeData: ResumeData(
          partialPath: file.path, device: file.device, inode: file.inode, durable: ByteRangeSet(),
          totalByteCount: 0, validator: nil, finalName: file.finalName),
        onConflict: .rename))
  }

  private func begin() { placing.begin { [told] in told.yield($0) } }

  private func names(_ events: [TransferScheduler.Event]?) -> [String?] {
    (events ?? []).map { event in
      guard case .file(_, .placed(.success(let file), _)) = event else { return nil }
      return file.path
    }
  }

  @Test func `files enqueued together are named together`() async throws {
    for number in Int64(1)...3 { placing.enqueue(try order(number)) }
    begin()
    var events = events.makeAsyncIterator()
    #expect(names(await events.next()) == ["/d/1", "/d/2", "/d/3"])
  }

  @Test func `files enqueued while a directory is busy form its next batch`() async throws {
    files.holdFinishes()
    var begun = files.finishes.makeAsyncIterator()
    placing.enqueue(try order(1))
    begin()
    #expect(await begun.next() == ["1"])
    for number in Int64(2)...4 {
      placing.enqueue(try order(number))
      begin()
    }
    files.releaseFinishes()
    #expect(await begun.next() == ["2", "3", "4"])
    var events = events.makeAsyncIterator()
    #expect(names(await events.next()) == ["/d/1"])
    #expect(names(await events.next()) == ["/d/2", "/d/3", "/d/4"])
    // The directory is idle again and accepts a new batch.
    placing.enqueue(try order(5))
    begin()
    #expect(await begun.next() == ["5"])
  }

  @Test func `a directory that waits for its disk does not block others`() async throws {
    files.holdFinishes()
    var begun = files.finishes.makeAsyncIterator()
    placing.enqueue(try order(1))
    begin()
    #expect(await begun.next() == ["1"])
    placing.enqueue(try order(2, in: "/other"))
    begin()
    #expect(await begun.next() == ["2"])
    files.releaseFinishes()
  }

  @Test func `a rename that a crash left unrecorded is found`() async throws {
    let order = try order(1)
    _ = try files.finish(order.file.resumeData, onConflict: .rename)
    placing.enqueue(order)
    begin()
    var events = events.makeAsyncIterator()
    #expect(names(await events.next()) == ["/d/1"])
  }

  @Test func `a missing file fails and its set-aside file is deleted`() async throws {
    var order = try order(1)
    let older = try self.order(2)
    order.file.resumeData.setAside = older.file.resumeData.partialIdentity
    files.remove("/d/1.part")
    placing.enqueue(order)
    begin()
    var events = events.makeAsyncIterator()
    guard case .file(_, .placed(.failure(let failure), _))? = await events.next()?.first else {
      Issue.record("expected a failure")
      return
    }
    #expect(failure.code == .partialFileChanged)
    #expect(files.paths.isEmpty)
  }
}
