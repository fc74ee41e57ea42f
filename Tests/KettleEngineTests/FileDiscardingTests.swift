import KettleModel
import KettleScheduler
import Testing
import TestSupport

@testable import KettleEngine

/// Partial files that are discarded together.
struct FileDiscardingTests {
  @Test func `partial files that wait are moved together and share one sync`() async throws {
    let files = InMemoryFileStorage(documentsDirectory: EngineWorld.documents)
    let discarding = FileDiscarding(files)
    for number in 1...3 {
      let file = try files.createPartialFile(
        in: EngineWorld.documents, preferredName: "\(number)", onConflict: .rename)
      var resumeData = ResumeData(
        partialPath: file.path, device: file.device, inode: file.inode, durable: ByteRangeSet(),
        totalByteCount: 100, validator: nil, finalName: file.finalName)
      resumeData.binAction = 7
      discarding.enqueue(
        .init(
          id: TransferID(rawValue: Int64(number)),
          operation: OperationID(rawValue: UInt64(number)), resumeData: resumeData))
    }
    #expect(discarding.perform().map(\.id.rawValue) == [1, 2, 3])
    #expect(discarding.perform().isEmpty)
    let binned = (1...3).map { number in
      EngineWorld.documents + "/"
        + BinEntry.fileName(of: TransferID(rawValue: Int64(number)), in: 7)
    }
    #expect(files.paths == binned.sorted())
    files.endDirectorySyncs()
    var syncs: [[String]] = []
    for await directories in files.directorySyncs { syncs.append(directories) }
    #expect(syncs == [[EngineWorld.documents]])
  }
}
