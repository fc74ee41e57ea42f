import ControlProtocol
import Testing
import TransferModel

@testable import TransferDaemon

struct FindURLsTests {
  private func row(_ id: Int64, _ url: String, _ state: TransferState) -> TransferSnapshot {
    TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "", url: url,
      state: state, createdAt: WallTime(millisecondsSince1970: id))
  }

  @Test func `of transfers with one URL the first is named`() {
    var table = RowTable()
    for id in Int64(1)...9 {
      table.put(row(id, "http://a/\(id % 3)", id == 2 ? .completed : .running))
    }
    let found = table.find(["http://a/2", "http://a/0", "http://a/9"])
    #expect(
      found == [
        .init(url: "http://a/2", id: TransferID(rawValue: 2), state: .completed),
        .init(url: "http://a/0", id: TransferID(rawValue: 3), state: .running),
      ])
    table.remove(TransferID(rawValue: 2))
    #expect(table.find(["http://a/2"]).map(\.id.rawValue) == [5])
    #expect(table.find([]) == [])
  }
}
