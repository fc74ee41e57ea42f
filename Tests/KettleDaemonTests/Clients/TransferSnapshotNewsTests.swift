import KettleModel
import Testing

@testable import KettleDaemon

struct TransferSnapshotNewsTests {
  private let row = TransferSnapshot(
    id: TransferID(rawValue: 1), session: .kettle, taskIdentifier: 1, title: "a", url: "http://h/a",
    state: .running, createdAt: WallTime(millisecondsSince1970: 0))

  @Test func `more bytes alone are not news`() {
    var later = row
    later.bytesReceived = 9
    later.bytesPerSecond = 3
    later.secondsLeft = 4
    later.connections = 5
    #expect(!later.differsInMoreThanProgress(from: row))
  }

  @Test func `a different state, error, size or link is news`() {
    let changes: [(inout TransferSnapshot) -> Void] = [
      { $0.state = .paused }, { $0.error = TransferFailure(.timedOut, on: "h") },
      { $0.bytesExpected = 7 }, { $0.url = "http://h/b" }, { $0.freshStart = .asked },
      { $0.path = "/d/a" },
    ]
    for change in changes {
      var later = row
      change(&later)
      #expect(later.differsInMoreThanProgress(from: row))
    }
  }
}
