import Glibc
import KettleSystem
import Testing
import TestSupport

/// A suspended dashboard is not watched.
struct SuspendedClientTests {
  @Test func `a process is stopped between SIGSTOP and SIGCONT`() throws {
    let process = try Running("/bin/cat", [], [:], output: "/dev/null")
    let processID = Int64(process.processID)
    #expect(!ProcessState.isStopped(processID))
    process.send(SIGSTOP)
    // Returns when the process has stopped, and leaves that to be waited for again.
    var info = siginfo_t()
    #expect(waitid(P_PID, id_t(process.processID), &info, WSTOPPED | WNOWAIT) == 0)
    #expect(ProcessState.isStopped(processID))
    process.send(SIGCONT)
    #expect(waitid(P_PID, id_t(process.processID), &info, WCONTINUED | WNOWAIT) == 0)
    #expect(!ProcessState.isStopped(processID))
    process.send(SIGKILL)
    #expect(process.waitForEnd() == 128 + SIGKILL)
  }

  @Test(arguments: [0, -1, Int64.max])
  func `a process that does not exist is not stopped`(processID: Int64) {
    #expect(!ProcessState.isStopped(processID))
  }
}
