import Foundation
import Testing

@testable import KettleModel

struct ResumeDataTests {
  @Test func `resume data survives coding, even with the largest numbers`() throws {
    var resumeData = ResumeData(
      partialPath: "/d/ä.part", device: .max, inode: .max, durable: ByteRangeSet(prefix: .max),
      totalByteCount: nil,
      validator: Validator(
        entityTag: "\"a\"", lastModified: "date", isLastModifiedStrong: true),
      finalName: "ä")
    resumeData.isWhole = true
    let data = try JSONEncoder().encode(resumeData)
    #expect(try JSONDecoder().decode(ResumeData.self, from: data) == resumeData)
  }

  @Test func `resume data with a damaged map is refused`() throws {
    let json = """
      {"partialPath": "/p", "device": 1, "inode": 2, "held": [0, 5, 3, 9], "finalName": "f",
       "isWhole": false}
      """
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ResumeData.self, from: Data(json.utf8))
    }
  }

  @Test func `a finished file that Kettle did not write has no identity`() throws {
    let file = FinishedFile(path: "/d/f", identity: nil)
    let data = try JSONEncoder().encode(file)
    #expect(try JSONDecoder().decode(FinishedFile.self, from: data) == file)
  }

  @Test func `a new record has no history`() throws {
    let spec = TransferSpec(url: try TransferURL.parse("http://h/").get().url)
    let record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1, spec: spec,
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: 1, state: .queued)
    #expect(record.retryCount == 0)
    #expect(record.resumeData == nil && record.finishedFile == nil && record.failure == nil)
  }
}
