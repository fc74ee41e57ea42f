import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import TestSupport
import Testing

@testable import KettleDaemon

/// A suspended dashboard is not watched.
struct SuspendedClientTests {
  /// Whether the dashboard of this process, the only one, counts as watched.
  private func isWatched(by processID: Int64) throws -> Bool {
    let broadcaster = Broadcaster(
      freeSpace: FreeSpace(now: { MonotonicTime(milliseconds: 0) }) { 77 },
      archive: InMemoryJournal(), rows: RowMaker(documentsDirectory: "/d"))
    let (_, mailbox) = broadcaster.connect(processID: processID)
    mailbox.greet(isWatchedByPerson: true)
    return broadcaster.isWatchedByPerson
  }

  @Test func `a process is stopped between SIGSTOP and SIGCONT`() throws {
    let process = try Running("/bin/cat", [], [:], output: "/dev/null")
    let processID = Int64(process.processID)
    #expect(!ProcessState.isStopped(processID))
    process.send(SIGSTOP)
    // Returns when the process has stopped, and leaves that to be waited for again.
    var info = siginfo_t()
    #expect(waitid(P_PID, id_t(process.processID), &info, WSTOPPED | WNOWAIT) == 0)
    #expect(ProcessState.isStopped(processID))
    #expect(try isWatched(by: processID) == false)
    process.send(SIGCONT)
    #expect(waitid(P_PID, id_t(process.processID), &info, WCONTINUED | WNOWAIT) == 0)
    #expect(!ProcessState.isStopped(processID))
    #expect(try isWatched(by: processID))
    process.send(SIGKILL)
    #expect(process.waitForEnd() == 128 + SIGKILL)
  }

  @Test(arguments: [0, -1, Int64.max])
  func `a process that does not exist is not stopped`(processID: Int64) {
    #expect(!ProcessState.isStopped(processID))
  }
}
